/* What does not fit into its line is told in full where somebody points at it. */
addEventListener("mouseover", ({ target }) => {
  const line = target.closest?.("strong, small, .chip, td, .tl-name");
  if (line && !line.title && getComputedStyle(line).textOverflow === "ellipsis" && line.scrollWidth > line.clientWidth)
    line.title = line.textContent.trim().replace(/\s+/g, " ");
});
