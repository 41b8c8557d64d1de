(() => {
  "use strict";

  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (tag, className, ...children) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.append(...children);
    return element;
  };

  const root = document.documentElement;
  const data = JSON.parse(one("#data").textContent);
  const entries = data.entries;
  const panes = [one("#source"), one("#result")];
  const search = one("#search");
  const component = one("#component");
  const idsOf = (element) => (element.dataset.e ? element.dataset.e.split(" ").map(Number) : []);
  root.classList.add("js");

  /* ---- the lines, read once ---- */

  const links = entries.map(() => [[], []]); // entry -> its elements on either side
  const rows = panes.map((pane, side) =>
    all(".l", pane).map((element, index) => {
      const ids = new Set();
      for (const token of element.querySelectorAll("[data-e]")) {
        for (const id of idsOf(token)) {
          ids.add(id);
          links[id][side].push(token);
        }
        if (token.tabIndex === 0) token.tabIndex = -1;
      }
      element.row = index;
      const up = element.dataset.u ? index - Number(element.dataset.u) : -1;
      return { element, ids: [...ids], up, side, text: null };
    })
  );
  const allRows = rows.flat();
  const words = entries.map((entry) =>
    [entry.path, entry.outcome, entry.rule, entry.reason, entry.action, ...entry.places.flatMap((place) => place.slice(0, 2))]
      .join("\n")
      .toLowerCase()
  );
  const byKey = new Map(entries.map((entry, id) => [entry.key, id]));
  const sideOf = (element) => (panes[1].contains(element) ? 1 : 0);

  /** Entries that an element stands for; for a value that a key above explains, those of the key. */
  function idsAt(target) {
    const token = target.closest("[data-e]");
    if (token) return idsOf(token);
    const line = target.closest(".l");
    if (!line) return [];
    const row = rows[sideOf(line)][line.row];
    if (row.ids.length || !line.dataset.p) return row.ids;
    return rows[1][line.row - Number(line.dataset.p)].ids;
  }

  /* ---- highlight, details ---- */

  let lit = new Set();
  let kept = []; // entries of the selection
  let keptLines = [];

  function paint(ids) {
    const fresh = new Set();
    for (const id of ids) {
      for (const element of links[id].flat()) {
        fresh.add(element);
        fresh.add(element.closest(".l"));
      }
    }
    for (const element of lit) if (!fresh.has(element)) element.classList.remove("hit");
    for (const element of fresh) if (!lit.has(element)) element.classList.add("hit");
    lit = fresh;
  }

  /** Scroll a pane, and nothing else, so that an element is in view. */
  function reveal(element, always = false) {
    const pane = panes[sideOf(element)];
    const box = element.getBoundingClientRect();
    const frame = pane.getBoundingClientRect();
    const top = frame.top + 36;
    if (!always && box.top >= top && box.bottom <= frame.bottom - 4) return;
    pane.scrollTop += box.top - top - (frame.height - 36) / 3;
  }

  /** Where the panes are part of a longer page: scroll the page, so that the pane of an element is in view. */
  function bring(element) {
    const frame = panes[sideOf(element)].getBoundingClientRect();
    const box = element.getBoundingClientRect();
    if (box.top < 0 || box.bottom > innerHeight - one("#details").offsetHeight) scrollBy(0, frame.top);
  }

  const shown = (element) => !element.closest(".off");

  function revealOther(ids, side) {
    const candidates = ids.flatMap((id) => links[id][side]).filter(shown);
    if (!candidates.length) return;
    const frame = panes[side].getBoundingClientRect();
    const inView = candidates.some((element) => {
      const box = element.getBoundingClientRect();
      return box.top >= frame.top + 30 && box.bottom <= frame.bottom;
    });
    if (!inView) reveal(candidates[0]);
  }

  const MOST = 12;

  function card(id) {
    const entry = entries[id];
    const outcome = data.outcomes[entry.outcome];
    const origin = make("small", "", entry.origin);
    const name = make("div", "name", make("code", "", entry.path), origin);
    const copy = make("button", "", "Copy link");
    copy.type = "button";
    copy.addEventListener("click", () => copyLink(entry, copy));
    name.append(copy);
    const result = make("article", `card ${entry.outcome}`, make("b", "", outcome.sign), name);
    const said = make("div", "", make("span", "said", entry.outcome), `: ${entry.reason || outcome.meaning}`);
    if (entry.derived) said.append(" (found by the proof)");
    result.append(said);
    if (entry.action) result.append(make("div", "", make("span", "action", entry.action)));
    if (entry.places.length) {
      const list = make("ul", "");
      for (const [release, path, anchor] of entry.places) {
        const text = make("code", "", path);
        const link = anchor ? make("a", "", text) : text;
        if (anchor) link.href = `#${anchor}`;
        list.append(make("li", "", `${release}: `, link));
      }
      result.append(make("div", "", list));
    }
    const why = data.rules[entry.rule];
    result.append(make("div", "rule", "rule ", make("code", "", entry.rule), why ? `: ${why}` : ""));
    return result;
  }

  async function copyLink(entry, button) {
    const address = `${location.href.split("#")[0]}#e=${entry.key}`;
    let done = "Copied";
    try {
      await navigator.clipboard.writeText(address);
    } catch {
      select([byKey.get(entry.key)]);
      done = "Copy it from the address bar";
    }
    button.textContent = done;
    setTimeout(() => (button.textContent = "Copy link"), 1600);
  }

  let told = "";

  function tell(ids, line) {
    const key = ids.length ? ids.join(" ") : line ? `+${line.id}` : "";
    if (key === told) return;
    told = key;
    const cards = one("#cards");
    if (ids.length) {
      cards.replaceChildren(...ids.slice(0, MOST).map(card));
      if (ids.length > MOST) cards.append(make("p", "hint", `and ${ids.length - MOST} more`));
    } else {
      cards.replaceChildren(
        make("p", "hint", line ? "No field of the operator stands behind this line: istio-convert set it, so that the chart makes what istioctl made." : HINT)
      );
    }
    one("#details").scrollTop = 0;
  }

  const HINT = one("#cards").textContent;

  function say(ids) {
    one("#said").textContent = ids
      .slice(0, 3)
      .map((id) => {
        const entry = entries[id];
        const places = entry.places.map((place) => `${place[0]} ${place[1]}`).join(", ");
        return `${entry.path}: ${entry.outcome}. ${entry.reason} ${places}`;
      })
      .join(" ");
  }

  function added(target) {
    return target.closest(".l.added");
  }

  /* ---- hovering ---- */

  let pending = 0;
  let pointed = null;
  let dwell = 0;

  function hover(target) {
    pointed = target;
    if (!pending) pending = requestAnimationFrame(showPointed);
  }

  function showPointed() {
    pending = 0;
    clearTimeout(dwell);
    const target = pointed;
    const ids = target ? idsAt(target) : [];
    const current = ids.length ? ids : kept;
    paint(current);
    tell(current, !ids.length && target ? added(target) : null);
    if (!ids.length) return;
    const other = 1 - sideOf(target);
    dwell = setTimeout(() => revealOther(ids, other), 120);
  }

  for (const pane of panes) {
    pane.addEventListener("pointerover", (event) => hover(event.target));
    pane.addEventListener("pointerleave", () => hover(null));
    pane.addEventListener("focusin", (event) => {
      const token = event.target.closest("[data-e]");
      if (!token) return;
      stop(token);
      const ids = idsOf(token);
      paint(ids);
      tell(ids, null);
      say(ids);
      revealOther(ids, 1 - sideOf(token));
    });
    pane.addEventListener("click", (event) => {
      const token = event.target.closest("a[data-e]");
      if (token && (event.metaKey || event.ctrlKey || event.shiftKey)) return;
      if (String(getSelection())) return;
      const ids = idsAt(event.target);
      if (!ids.length) return;
      event.preventDefault();
      select(ids, token);
    });
  }

  /* ---- selecting, deep links ---- */

  function select(ids, from) {
    keep(ids);
    history.pushState(null, "", `#e=${entries[ids[0]].key}`);
    const side = from ? sideOf(from) : -1;
    for (const other of [0, 1]) if (other !== side) revealOther(ids, other);
  }

  function keep(ids) {
    kept = ids;
    for (const line of keptLines) line.classList.remove("kept");
    keptLines = ids.flatMap((id) => links[id].flat()).map((element) => element.closest(".l"));
    for (const line of keptLines) line.classList.add("kept");
    one("#close").hidden = !ids.length;
    paint(ids);
    tell(ids, null);
  }

  function follow() {
    let name = location.hash.slice(1);
    try {
      name = decodeURIComponent(name);
    } catch {
      /* not encoded */
    }
    const raw = location.hash.slice(3);
    if (name.startsWith("e=")) {
      let id = byKey.get(raw);
      if (id === undefined) id = entries.findIndex((entry) => decodeURIComponent(entry.key) === name.slice(2));
      if (id < 0) return;
      unhide([id]);
      keep([id]);
      for (const side of [0, 1]) {
        const element = links[id][side].find(shown);
        if (element) reveal(element);
      }
      arrive(id);
    } else if (name.startsWith("o=") || name.startsWith("r=")) {
      const element = document.getElementById(location.hash.slice(1)) || document.getElementById(name);
      if (element) reveal(element, true);
    } else if (!name) keep([]);
  }

  /** A link to what the filters hide takes the filters away. */
  function unhide(ids) {
    if (ids.some((id) => links[id].flat().length && !links[id].flat().some(shown))) clear();
  }

  window.addEventListener("popstate", follow);
  one("#close").addEventListener("click", letGo);

  function letGo() {
    keep([]);
    if (location.hash) history.pushState(null, "", location.href.split("#")[0]);
  }

  /* ---- keys ---- */

  const stops = [null, null]; // the one token of each pane that Tab reaches

  function stop(token) {
    const side = sideOf(token);
    if (token.tagName !== "A") return;
    if (stops[side]) stops[side].tabIndex = -1;
    token.tabIndex = 0;
    stops[side] = token;
  }

  const tokensOf = panes.map((pane) => all("a[data-e]", pane));
  for (const tokens of tokensOf) if (tokens.length) stop(tokens[0]);

  function go(token) {
    token.focus({ preventScroll: true });
    reveal(token);
  }

  function step(token, by) {
    const tokens = tokensOf[sideOf(token)];
    let index = tokens.indexOf(token) + by;
    while (tokens[index] && !shown(tokens[index])) index += by;
    if (tokens[index]) go(tokens[index]);
  }

  function finding(by) {
    const found = entries.map((entry, id) => id).filter((id) => data.outcomes[entries[id].outcome].severity && links[id][0].some(shown));
    if (!found.length) return;
    const here = kept.length ? kept[0] : by > 0 ? -1 : entries.length;
    const next = by > 0 ? found.find((id) => id > here) ?? found[0] : found.filter((id) => id < here).pop() ?? found.at(-1);
    select([next]);
    arrive(next);
  }

  function arrive(id) {
    const element = links[id][0].find(shown);
    if (!element) return;
    element.focus({ preventScroll: true });
    bring(element);
  }

  one("#next").addEventListener("click", () => finding(1));
  one("#previous").addEventListener("click", () => finding(-1));
  for (const name of ["#next", "#previous"]) {
    one(name).disabled = !entries.some((entry) => data.outcomes[entry.outcome].severity);
  }

  document.addEventListener("keydown", (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey || one("#about").open) return;
    if (event.key === "Escape") {
      if (event.target === search && search.value) return;
      letGo();
      return;
    }
    const pane = panes.find((known) => known.contains(event.target));
    if (!pane) return;
    const side = panes.indexOf(pane);
    const token = event.target.closest("a[data-e]");
    const enter = () => tokensOf[side].find(shown);
    const cross = () => token && idsOf(token).flatMap((id) => links[id][1 - side]).find((element) => element.tagName === "A" && shown(element));
    const keys = {
      ArrowDown: () => (token ? step(token, 1) : enter() && go(enter())),
      ArrowUp: () => token && step(token, -1),
      ArrowRight: () => side === 0 && cross() && go(cross()),
      ArrowLeft: () => side === 1 && cross() && go(cross()),
      Home: () => enter() && go(enter()),
      End: () => tokensOf[side].length && go(tokensOf[side].filter(shown).at(-1)),
      n: () => finding(1),
      p: () => finding(-1),
      "/": () => search.focus(),
    };
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });

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
        const inText = query !== "" && textOf(row).includes(query);
        let show = false;
        if (row.ids.length) {
          for (const id of row.ids) {
            if (!(matches[id] || (inText && passes[id]))) continue;
            show = true;
            counted.add(id);
          }
        } else if (!outcomes.size) {
          const mine = !part || row.element.closest(".unit")?.dataset.c === part;
          show = mine && (query ? inText : side === 1);
        }
        for (let at = index; show && at >= 0 && !visible[side][at]; at = list[at].up) visible[side][at] = true;
      }
    }
    for (const [id, does] of matches.entries()) if (active && does) counted.add(id);
    for (const [side, list] of rows.entries()) {
      let before = true;
      for (const [index, row] of list.entries()) {
        const show = visible[side][index];
        row.element.classList.toggle("off", !show);
        row.element.classList.toggle("gap", show && !before && index > 0);
        before = show;
      }
    }
    for (const { element, lines } of blocks) {
      const count = lines.filter((line) => !line.classList.contains("off")).length;
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
})();
