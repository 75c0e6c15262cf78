/* Typing into a field that stands inside a choice makes that choice. */
addEventListener("input", ({ target }) => {
  const choice = target.closest("label")?.querySelector("input[type=radio]");
  if (choice && choice !== target) choice.checked = true;
});
