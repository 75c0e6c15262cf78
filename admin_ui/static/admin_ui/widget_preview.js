/* Before the loader: in the preview the chat is open until whoever looks at it closes it, and it takes no focus. */
try {
  if (sessionStorage.getItem("antecedent.open") === null) sessionStorage.setItem("antecedent.open", "yes");
} catch {
  /* storage is blocked: it stays closed until it is clicked */
}
