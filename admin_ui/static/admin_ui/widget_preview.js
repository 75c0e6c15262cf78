/* In the preview the chat is open, until whoever looks at it closes it. */
try {
  if (sessionStorage.getItem("antecedent.open") !== "no") window.Antecedent?.open();
} catch {
  window.Antecedent?.open();
}
