/* The conversation page: opens the turn that the address names, all details at once, and reads the timeline aloud. */
(() => {
  const details = (root) => root.querySelectorAll(".trace details");

  function openTarget() {
    const turn = document.getElementById(location.hash.slice(1))?.closest(".turn");
    if (turn) for (const part of details(turn)) part.open = true;
  }

  function toggleAll(button) {
    const open = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(open));
    button.textContent = open ? "Close all details" : "Open all details";
    for (const part of details(document)) part.open = open;
  }

  function caption(event) {
    const line = document.querySelector("[data-caption]");
    if (!line || !event.target.closest) return;
    const tip = event.target.closest("[data-tip]")?.dataset.tip;
    if (tip) line.textContent = tip;
    else if (!event.target.closest(".timeline")) line.textContent = line.dataset.empty;
  }

  addEventListener("hashchange", openTarget);
  addEventListener("mouseover", caption);
  addEventListener("focusin", caption);
  addEventListener("click", (event) => {
    const button = event.target.closest("[data-open-all]");
    if (button) toggleAll(button);
  });
  openTarget();
})();
