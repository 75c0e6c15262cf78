/* Before the first paint: a chosen theme must not flash. */
try {
  const choice = localStorage.getItem("antecedent.theme");
  if (choice === "light" || choice === "dark") document.documentElement.dataset.theme = choice;
} catch {
  /* storage is blocked */
}
