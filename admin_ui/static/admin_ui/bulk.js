/* Choosing documents: all of the page with one click, and how many are chosen. */
(() => {
  const form = document.getElementById("bulk");
  if (!form) return;
  const all = form.querySelector("[data-pick-all]");
  const everything = form.elements.everything;
  const picks = () => [...document.querySelectorAll("[data-pick]")];
  form.querySelector("[data-page-pick]").hidden = false;

  function tell() {
    const chosen = picks().filter((pick) => pick.checked).length;
    all.checked = chosen > 0 && chosen === picks().length;
    all.indeterminate = chosen > 0 && !all.checked;
    const some = chosen ? `${chosen} chosen` : "";
    form.querySelector("[data-picked]").textContent = everything.checked ? "" : some;
    form.classList.toggle("is-on", chosen > 0 || everything.checked);
  }

  all.addEventListener("change", () => {
    for (const pick of picks()) pick.checked = all.checked;
    tell();
  });
  addEventListener("change", ({ target }) => (target.matches?.("[data-pick]") || target === everything) && tell());
  addEventListener("pageshow", tell);
  tell();
})();
