/* Copy what a button names. Where the clipboard is out of reach the text is selected, ready for the keyboard. */
addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-copy]");
  if (!button) return;
  const text = document.getElementById(button.dataset.copy);
  const label = button.querySelector("[data-copy-label]");
  try {
    await navigator.clipboard.writeText(text.textContent);
    label.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(text);
    label.textContent = "Press Ctrl+C";
  }
});

/* A page that shows a secret is the answer to a form. Loading it again leads to the list instead of making another one. */
addEventListener("DOMContentLoaded", () => {
  const list = document.querySelector(".shown a[href]");
  if (list) history.replaceState(null, "", list.href);
});
