/* What was typed comes back when it was not taken: the form is filled in again on the page that says why, or on its own
   page after signing in again. It is kept in this tab alone and until the next page of the console, for the person who
   typed it. Passwords and files never are. */
(() => {
  const KEY = "ac-typed";
  const UNKEPT = ["password", "file", "hidden", "submit", "button"];
  const path = (address) => (address ? new URL(address, location.href).pathname : "");
  const target = (form) => path(form.getAttribute("action") || location.href);
  const person = () => document.querySelector(".ac-person-name")?.textContent.trim() ?? "";
  const fields = (form) => [...form.elements].filter((field) => field.name && "value" in field && !UNKEPT.includes(field.type));
  const chosen = (field) => field.type === "radio" || field.type === "checkbox";

  function keep(form) {
    const typed = fields(form).map((field) => [field.name, field.value, Boolean(field.checked)]);
    const kept = { person: person(), page: location.pathname, to: target(form), typed };
    try {
      sessionStorage.removeItem(KEY);
      if (typed.length) sessionStorage.setItem(KEY, JSON.stringify(kept));
    } catch { /* the tab keeps nothing, or not that much */ }
  }

  function taken() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(KEY));
      sessionStorage.removeItem(KEY);
      return kept;
    } catch { return null; }
  }

  /* An answer that was taken leads here from the form's own page; from any other, somebody came back to it. */
  function wasRefused(kept) {
    if (document.querySelector(".ac-message:is([data-level=error], [data-level=warning])")) return true;
    return location.pathname === kept.page && document.referrer !== "" && path(document.referrer) !== kept.page;
  }

  function put(field, value, checked) {
    if (chosen(field) ? field.checked === checked : field.value === value) return;
    if (chosen(field)) field.checked = checked;
    else field.value = value;
    for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, { bubbles: true }));
  }

  function fill(form, typed) {
    const left = fields(form);
    for (const [name, value, checked] of typed) {
      const at = left.findIndex((field) => field.name === name && (!chosen(field) || field.value === value));
      if (at >= 0) put(left.splice(at, 1)[0], value, checked);
    }
    for (let folded = form.closest("details"); folded; folded = folded.parentElement.closest("details")) folded.open = true;
  }

  addEventListener("submit", (event) => {
    if (!event.defaultPrevented && event.target.method === "post") keep(event.target);
  });
  addEventListener("DOMContentLoaded", () => {
    const kept = taken();
    if (!kept || kept.person !== person() || !wasRefused(kept)) return;
    const form = [...document.forms].find((one) => one.method === "post" && target(one) === kept.to);
    if (form) fill(form, kept.typed);
  });
})();
