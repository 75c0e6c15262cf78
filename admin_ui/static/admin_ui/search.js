/* The field for a person is there when somebody's eyes are chosen that a list cannot name. */
(() => {
  const eyes = document.querySelector("[data-eyes]");
  const person = document.querySelector("[data-person]");
  if (!eyes || !person) return;
  const follow = () => {
    person.hidden = eyes.value !== "person";
    person.querySelector("input").required = !person.hidden;
  };
  eyes.addEventListener("change", () => {
    follow();
    if (!person.hidden) person.querySelector("input").focus();
  });
  follow();
})();
