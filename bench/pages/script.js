
"use strict";

/* Tables: every heading becomes a button that sorts; the filters that need a script appear. */
function sortable(table) {
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const numeric = heading.classList.contains("number");
      const before = heading.getAttribute("aria-sort");
      const down = before ? before === "ascending" : numeric;
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      sort(table.tBodies[0], column, numeric, down);
    });
  });
}

function sort(body, column, numeric, down) {
  const key = (row) => (numeric ? row.cells[column].dataset.order : row.cells[column].textContent.trim());
  const compare = numeric ? (a, b) => a - b : (a, b) => a.localeCompare(b, undefined, { numeric: true });
  const rows = [...body.rows].map((row) => [key(row), row]);
  rows.sort(([a], [b]) => (a === "") - (b === "") || (a === "" ? 0 : down ? compare(b, a) : compare(a, b)));
  body.append(...rows.map(([, row]) => row));
}

function filterable(form, table) {
  const rows = [...table.tBodies[0].rows];
  const fields = [...form.querySelectorAll("[data-filter]")];
  const passes = (row, field) => {
    const wanted = field.value.trim().toLowerCase();
    if (field.dataset.filter === "*") return row.textContent.replace(/\s+/g, " ").toLowerCase().includes(wanted);
    return !wanted || row.cells[field.dataset.filter].textContent.trim().toLowerCase() === wanted;
  };
  form.addEventListener("input", () => {
    rows.forEach((row) => { row.hidden = !fields.every((field) => passes(row, field)); });
    form.querySelector("output").value = `${rows.filter((row) => !row.hidden).length} of ${rows.length} lines`;
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
}

document.querySelectorAll(".table").forEach((part) => {
  const table = part.querySelector("table");
  sortable(table);
  const form = part.querySelector("form");
  if (form) filterable(form, table);
});

/* Regions that do not scroll are no stop for the keyboard. */
function stops() {
  document.querySelectorAll(".scroll").forEach((region) => {
    const scrolls = region.scrollWidth > region.clientWidth || region.scrollHeight > region.clientHeight;
    if (scrolls) region.tabIndex = 0;
    else region.removeAttribute("tabindex");
  });
}
window.addEventListener("resize", stops);
document.addEventListener("toggle", stops, true);
stops();

/* Marks: what hovering shows, focus shows too. A drawing is one stop; arrow keys go from mark to mark. */
const tip = document.getElementById("tip");

let leaving;

function show(mark) {
  clearTimeout(leaving);
  tip.textContent = mark.dataset.tip;
  tip.hidden = false;
  const box = mark.getBoundingClientRect();
  const middle = box.left + box.width / 2 - tip.offsetWidth / 2;
  const left = Math.max(8, Math.min(middle, document.documentElement.clientWidth - tip.offsetWidth - 8));
  const above = box.top - tip.offsetHeight - 8;
  tip.style.left = `${left + window.scrollX}px`;
  tip.style.top = `${(above < 0 ? box.bottom + 8 : above) + window.scrollY}px`;
}

function hide() {
  clearTimeout(leaving);
  tip.hidden = true;
}

/* The pointer may go from a mark to what is said of it, and stay there. */
function leave() {
  clearTimeout(leaving);
  leaving = setTimeout(hide, 200);
}
tip.addEventListener("pointerenter", () => clearTimeout(leaving));
tip.addEventListener("pointerleave", leave);
document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });

document.querySelectorAll("svg.drawing").forEach((drawing) => {
  const marks = [...drawing.querySelectorAll(".mark")];
  marks.forEach((mark, place) => {
    mark.querySelector("title").remove();
    if (place) mark.setAttribute("tabindex", "-1");
    mark.addEventListener("pointerenter", () => show(mark));
    mark.addEventListener("pointerleave", leave);
    mark.addEventListener("focus", () => show(mark));
    mark.addEventListener("blur", hide);
    mark.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const next = marks[(place + step + marks.length) % marks.length];
      mark.setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus();
    });
  });
});
