/* Before the first paint: a chosen theme must not flash. */
try {
  const choice = localStorage.getItem("antecedent.theme");
  if (choice) document.documentElement.dataset.theme = choice;
} catch {
  /* storage is blocked */
}
