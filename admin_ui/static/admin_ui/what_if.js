/* A new replay: shows what is chosen, and takes whoever changes a setting to mean the edited copy. */
const form = document.querySelector("[data-what-if]");

if (form) {
  const show = () => {
    const what = form.querySelector("[name=what]:checked")?.value;
    for (const part of form.querySelectorAll("[data-for]")) part.hidden = part.dataset.for !== what;
  };
  form.addEventListener("change", ({ target }) => { if (target.name === "what") show(); });
  show();
}
