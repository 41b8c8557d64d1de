/* Filters, search, values, theme, help and print; starts the page. */

/* ---- filters and search ---- */

const chips = all(".chip");
const sections = all(".file, .unit, .part");
const blocks = all(".block").map((element) => ({ element, lines: [...element.children] }));
const found = typeof Highlight === "function" && CSS.highlights ? new Highlight() : null;
if (found) CSS.highlights.set("found", found);

const textOf = (row) => (row.text ??= row.element.lastElementChild.textContent.toLowerCase());

function filter() {
  const outcomes = new Set(chips.filter((chip) => chip.getAttribute("aria-pressed") === "true").map((chip) => chip.dataset.o));
  const part = component.value;
  const query = search.value.trim().toLowerCase();
  const active = outcomes.size > 0 || part !== "" || query !== "";
  const passes = entries.map(
    (entry) => (!outcomes.size || outcomes.has(entry.outcome)) && (!part || entry.components.includes(part))
  );
  const matches = entries.map((entry, id) => passes[id] && (!query || words[id].includes(query)));
  const counted = new Set();
  const visible = rows.map((side) => side.map(() => !active));
  for (const [side, list] of rows.entries()) {
    if (!active) break;
    for (const [index, row] of list.entries()) {
      const elsewhere = side === 1 && part && row.element.closest(".unit").dataset.c !== part;
      const inText = query !== "" && textOf(row).includes(query);
      let show = false;
      if (elsewhere) continue;
      if (row.ids.length) {
        for (const id of row.ids) {
          if (!(matches[id] || (inText && passes[id]))) continue;
          show = true;
          counted.add(id);
        }
      } else if (!outcomes.size) {
        show = query ? inText && (side === 1 || !part) : side === 1;
      }
      for (let at = index; show && at >= 0 && !visible[side][at]; at = list[at].up) visible[side][at] = true;
    }
  }
  for (const [id, does] of matches.entries()) if (active && does) counted.add(id);
  for (const [side, list] of rows.entries()) {
    let before = true;
    for (const [index, row] of list.entries()) {
      const show = visible[side][index];
      const gap = show && !before && index > 0;
      if (row.off === show) row.element.classList.toggle("off", (row.off = !show));
      if (row.gap !== gap) row.element.classList.toggle("gap", (row.gap = gap));
      before = show;
    }
  }
  for (const { element, lines } of blocks) {
    const count = lines.filter((line) => !line.classList.contains("off")).length;
    if (element.count === count) continue;
    element.count = count;
    element.classList.toggle("off", !count);
    element.style.setProperty("--n", count);
  }
  for (const section of sections.toReversed()) {
    const some = section.querySelector(".block:not(.off)");
    const own = section.classList.contains("unit") && !outcomes.size && !query && (!part || section.dataset.c === part);
    section.classList.toggle("off", active && !some && !own);
  }
  for (const pane of panes) nothing(pane, active && !pane.querySelector(".file:not(.off), .unit:not(.off)"));
  one("#clear").hidden = !active;
  one("#count").textContent = active ? `${counted.size} of ${entries.length} fields` : "";
  mark(query);
  if (kept.length) for (const side of [0, 1]) revealOther(kept, side);
  else if (active) for (const pane of panes) pane.scrollTop = 0;
}

function nothing(pane, empty) {
  const there = one(".empty", pane);
  if (!empty) there?.remove();
  else if (!there) pane.append(make("p", "empty", "Nothing here passes the filters."));
}

const MOST_MARKS = 1000;

function mark(query) {
  if (!found) return;
  found.clear();
  if (!query) return;
  for (const row of allRows) {
    if (found.size >= MOST_MARKS) return;
    if (row.element.classList.contains("off") || !textOf(row).includes(query)) continue;
    const walker = document.createTreeWalker(row.element.lastElementChild, NodeFilter.SHOW_TEXT);
    const nodes = [];
    let text = "";
    while (walker.nextNode()) {
      nodes.push([text.length, walker.currentNode]);
      text += walker.currentNode.data.toLowerCase();
    }
    const at = (offset, isEnd) => nodes.findLast(([start]) => (isEnd ? start < offset : start <= offset));
    for (let from = text.indexOf(query); from >= 0; from = text.indexOf(query, from + query.length)) {
      const [start, first] = at(from, false);
      const [end, last] = at(from + query.length, true);
      const range = new Range();
      if (from - start > first.length || from + query.length - end > last.length) break; // lower case is longer
      range.setStart(first, from - start);
      range.setEnd(last, from + query.length - end);
      found.add(range);
    }
  }
}

function clear() {
  for (const chip of chips) chip.setAttribute("aria-pressed", "false");
  component.value = "";
  search.value = "";
  filter();
}

let typing = 0;
search.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(filter, 80);
});
component.addEventListener("change", filter);
one("#clear").addEventListener("click", () => {
  clear();
  search.focus();
});
for (const chip of chips) {
  chip.addEventListener("click", () => {
    chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
    filter();
  });
}

/* ---- values, theme, help, print ---- */

const switcher = one("#reveal");
const hidden = all("[data-v]");
switcher?.addEventListener("click", () => {
  const show = switcher.getAttribute("aria-pressed") !== "true";
  switcher.setAttribute("aria-pressed", String(show));
  switcher.textContent = show ? "Hide values" : "Show values";
  for (const element of hidden) {
    element.mask ??= element.textContent;
    element.textContent = show ? element.dataset.v : element.mask;
    const label = element.getAttribute("aria-label");
    if (label !== null) {
      element.label ??= label;
      element.setAttribute("aria-label", show ? `${element.label}: ${element.dataset.v}` : element.label);
    }
  }
  for (const row of allRows) row.text = null;
  if (search.value) filter();
});

const THEMES = ["auto", "light", "dark"];
const theme = one("#theme");

function setTheme(name) {
  if (name === "auto") delete root.dataset.theme;
  else root.dataset.theme = name;
  const title = name === "auto" ? "Auto" : name === "light" ? "Light" : "Dark";
  theme.lastElementChild.textContent = title;
  theme.title = `Theme: ${title}`;
  theme.value = name;
}

theme.addEventListener("click", () => {
  const name = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length];
  setTheme(name);
  try {
    localStorage.setItem("istio-convert-theme", name);
  } catch {
    /* a page from a file may have no storage */
  }
});
let stored = null;
try {
  stored = localStorage.getItem("istio-convert-theme");
} catch {
  /* as above */
}
setTheme(THEMES.includes(stored) ? stored : "auto");

one("#help").addEventListener("click", () => one("#about").showModal());
let wasOpen = true;
window.addEventListener("beforeprint", () => {
  const list = one("details#findings");
  if (!list) return;
  wasOpen = list.open;
  list.open = true;
});
window.addEventListener("afterprint", () => {
  const list = one("details#findings");
  if (list) list.open = wasOpen;
});

document.addEventListener("click", (event) => {
  const link = event.target.closest('#findings a, #details a[href^="#"]');
  if (!link) return;
  event.preventDefault();
  history.pushState(null, "", link.getAttribute("href"));
  follow();
});
follow();
