/* Who is signed in at this shop. The company's own server vouches for them; the widget shows each their own chat. */
const company = location.pathname.split("/")[1];
const chooser = document.querySelector("#person");
const KEPT = "demonstration.person";

window.Antecedent = window.Antecedent || { q: [] };
/** Works before the widget has loaded, too: calls are queued. */
const widget = (name, ...given) =>
  window.Antecedent[name] ? window.Antecedent[name](...given) : window.Antecedent.q.push([name, ...given]);

async function signIn(person) {
  localStorage.setItem(KEPT, person);
  if (!person) return widget("reset");
  const answer = await fetch(`/${company}/identity/${person}`);
  if (answer.ok) widget("identify", await answer.text());
}

chooser.value = localStorage.getItem(KEPT) || "";
if (chooser.value) signIn(chooser.value);
chooser.addEventListener("change", () => signIn(chooser.value));
for (const button of document.querySelectorAll("[data-chat]")) button.addEventListener("click", () => widget("open"));
