/* What every form of the console does. */

/* A text that is too long is counted and refused, never cut: a `maxlength` would take the end off what is pasted. */
(() => {
  const COUNTED_FROM = 0.8; /* of the limit: before that nobody needs a count */
  let made = 0;

  function told(field) {
    const line = document.createElement("small");
    line.className = "count";
    line.id = `count-${++made}`;
    line.setAttribute("aria-live", "polite");
    line.hidden = true;
    field.after(line);
    const describes = field.getAttribute("aria-describedby");
    field.setAttribute("aria-describedby", describes ? `${describes} ${line.id}` : line.id);
    return line;
  }

  function count(field, line) {
    const most = Number(field.dataset.most);
    const length = [...field.value].length;
    const over = length - most;
    line.hidden = length < most * COUNTED_FROM;
    line.textContent = over > 0 ? `${length} of ${most} characters: ${over} too many` : `${length} of ${most} characters`;
    line.classList.toggle("is-bad", over > 0);
    field.setCustomValidity(over > 0 ? `At most ${most} characters. Take ${over} away.` : "");
  }

  addEventListener("focusin", ({ target }) => {
    if (!(target.matches?.("input.line, textarea") && target.form?.method === "post")) return;
    if (target.pattern || target.dataset.counted) return;
    const most = target.dataset.most || target.getAttribute("maxlength");
    if (!most) return;
    target.dataset.most = most;
    target.dataset.counted = "yes";
    target.removeAttribute("maxlength");
    const line = told(target);
    count(target, line);
    target.addEventListener("input", () => count(target, line));
  });
})();

/* Typing into a field that stands inside a choice makes that choice. */
addEventListener("input", ({ target }) => {
  const choice = target.closest("label")?.querySelector("input[type=radio]");
  if (choice && choice !== target) choice.checked = true;
});

/* A question that was opened is closed by Escape and by a click elsewhere. */
addEventListener("keydown", ({ key }) => {
  const open = key === "Escape" && document.querySelector("details.confirm[open]");
  if (open) { open.open = false; open.querySelector("summary").focus(); }
});
addEventListener("click", ({ target }) => {
  for (const open of document.querySelectorAll("details.confirm[open]")) if (!open.contains(target)) open.open = false;
});
