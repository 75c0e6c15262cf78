/* The conversation page: opens what the address names, all details at once, keeps the axes together, and reads them aloud. */
(() => {
  /* What tells of a turn; what asks for something opens by itself only. */
  const details = (root) => root.querySelectorAll(".trace details:not(.confirm)");
  const axes = document.querySelectorAll("[data-axis]");

  function openTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    const turn = target.closest(".turn");
    if (turn) for (const part of details(turn)) part.open = true;
    for (let part = target.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
    target.scrollIntoView();
  }

  /* Both are drawn over the same turns: scrolling one moves the other. */
  function together(event) {
    for (const axis of axes) if (axis !== event.target) axis.scrollLeft = event.target.scrollLeft;
  }

  /* On a later page of turns the axis begins with them. */
  function showPage() {
    for (const axis of axes) {
      const first = axis.querySelector('.tl-turn[href^="#"]');
      const names = axis.querySelector(".tl-name");
      if (first) axis.scrollLeft = first.offsetLeft - names.offsetWidth;
    }
  }

  function markOpen(part) {
    document.querySelector(`.mm-bar[href="#${CSS.escape(part.id)}"]`)?.classList.toggle("is-open", part.open);
  }

  function toggleAll(button) {
    const open = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(open));
    button.textContent = open ? "Close all details" : "Open all details";
    for (const part of details(document)) part.open = open;
  }

  function caption(event) {
    if (!event.target.closest) return;
    const tip = event.target.closest("[data-tip]")?.dataset.tip;
    for (const line of document.querySelectorAll("[data-caption]")) {
      const here = event.target.closest(".panel") === line.closest(".panel");
      if (tip && here) line.textContent = tip;
      else if (!here) line.textContent = line.dataset.empty;
    }
  }

  addEventListener("hashchange", openTarget);
  for (const axis of axes) axis.addEventListener("scroll", together);
  for (const part of document.querySelectorAll(".mm-part")) part.addEventListener("toggle", () => markOpen(part));
  addEventListener("mouseover", caption);
  addEventListener("focusin", caption);
  addEventListener("click", (event) => {
    const button = event.target.closest("[data-open-all]");
    if (button) toggleAll(button);
    /* Choosing the same bar again changes no address, and shall open its text all the same. */
    if (event.target.closest(`a[href="${location.hash}"]`) && location.hash) openTarget();
  });
  showPage();
  openTarget();
})();
