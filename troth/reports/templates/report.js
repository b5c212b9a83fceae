(() => {
  "use strict";
  const root = document.documentElement;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const one = (selector) => document.querySelector(selector);
  root.classList.add("js");

  // Colours: as the system, light, dark. Remembered where the browser allows a file to remember.
  const themes = ["", "light", "dark"];
  const words = { "": "as the system", light: "light", dark: "dark" };
  const store = {
    get() { try { return localStorage.getItem("troth-theme") || ""; } catch { return ""; } },
    set(value) { try { localStorage.setItem("troth-theme", value); } catch { /* only this visit, then */ } },
  };
  const button = one("#theme");
  const wear = (theme) => {
    if (theme) root.dataset.theme = theme; else delete root.dataset.theme;
    button.setAttribute("aria-label", `Colours: ${words[theme]}`);
    button.title = `Colours: ${words[theme]}`;
  };
  button.addEventListener("click", () => {
    const next = themes[(themes.indexOf(root.dataset.theme || "") + 1) % themes.length];
    wear(next);
    store.set(next);
  });
  wear(themes.includes(store.get()) ? store.get() : "");

  // Copying, also from a file, where the clipboard of the browser may be out of reach.
  const said = one("#said");
  const copy = async (text) => {
    try { await navigator.clipboard.writeText(text); return true; } catch { /* the older way */ }
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "sr";
    document.body.append(area);
    area.select();
    let done = false;
    try { done = document.execCommand("copy"); } catch { done = false; }
    area.remove();
    return done;
  };
  const addCopy = (block) => {
    const press = document.createElement("button");
    press.type = "button";
    press.className = "copy";
    press.setAttribute("aria-label", `Copy: ${block.dataset.what}`);
    press.innerHTML = '<svg class="i" aria-hidden="true"><use href="#i-copy"/></svg><span>Copy</span>';
    block.append(press);
  };
  document.addEventListener("click", async (event) => {
    const pressed = event.target.closest(".copy");
    if (!pressed) return;
    const done = await copy(pressed.previousElementSibling.textContent);
    pressed.focus();
    const label = pressed.querySelector("span");
    label.textContent = done ? "Copied" : "Select it";
    said.textContent = done ? "Copied" : "The browser does not allow copying; select the text.";
    setTimeout(() => { label.textContent = "Copy"; said.textContent = ""; }, 2000);
  });

  // Filters live in the address, so that a link shows the same.
  const findings = all(".finding");
  const bar = one(".filters");
  const shown = one("#shown");
  const texts = new Map();
  const textOf = (finding) => {
    if (!texts.has(finding)) {
      const parts = all(":scope > details > summary, :scope > details > .body > .facts", finding);
      texts.set(finding, parts.map((part) => part.textContent).join(" ").toLowerCase());
    }
    return texts.get(finding);
  };
  const filtersIn = (hash) => {
    const given = new URLSearchParams(hash.replace(/^#/, ""));
    const list = (name) => (given.get(name) || "").split(",").filter(Boolean);
    return { severity: list("severity"), blame: given.get("blame") || "", provider: given.get("provider") || "", q: given.get("q") || "" };
  };
  const hashOf = (filters) => {
    const parts = [];
    for (const [name, value] of Object.entries(filters)) {
      if (value.length) parts.push(`${name}=${[].concat(value).map(encodeURIComponent).join(",")}`);
    }
    return parts.join("&");
  };
  let filters = filtersIn("");
  const fits = (finding) => {
    const { severity, blame, provider } = finding.dataset;
    return (!filters.severity.length || filters.severity.includes(severity))
      && (!filters.blame || filters.blame === blame)
      && (!filters.provider || filters.provider === provider)
      && filters.q.toLowerCase().split(/\s+/).every((word) => textOf(finding).includes(word));
  };
  const apply = () => {
    if (!bar) return;
    let count = 0;
    const kept = new Set();
    for (const finding of findings) {
      if (!fits(finding)) continue;
      count += 1;
      for (let at = finding; at; at = at.parentElement.closest(".finding")) kept.add(at);
    }
    for (const finding of findings) finding.hidden = !kept.has(finding);
    for (const group of all(".group")) group.hidden = !group.querySelector(".finding:not([hidden])");
    one(".none-left").hidden = count > 0;
    const total = findings.length;
    const noun = total === 1 ? "finding" : "findings";
    shown.textContent = count === total ? `${total} ${noun}` : `${count} of ${total} ${noun}`;
    for (const control of all("[data-filter]", bar)) {
      const name = control.dataset.filter;
      if (control.tagName === "BUTTON") control.setAttribute("aria-pressed", String(filters.severity.includes(control.value)));
      else if (control.value !== filters[name]) control.value = filters[name];
    }
  };
  const write = () => {
    const hash = hashOf(filters);
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
    apply();
  };
  if (bar) {
    bar.addEventListener("click", (event) => {
      const pressed = event.target.closest("button[data-filter]");
      if (!pressed) return;
      const { value } = pressed;
      filters.severity = filters.severity.includes(value) ? filters.severity.filter((other) => other !== value) : [...filters.severity, value];
      write();
    });
    bar.addEventListener("input", (event) => {
      const { filter } = event.target.dataset;
      if (!filter) return;
      filters[filter] = event.target.value;
      write();
    });
    one("#clear").addEventListener("click", () => { filters = filtersIn(""); write(); });
    const unfold = one("#unfold");
    unfold.addEventListener("click", () => {
      const open = unfold.getAttribute("aria-pressed") !== "true";
      unfold.setAttribute("aria-pressed", String(open));
      unfold.textContent = open ? "Fold all" : "Unfold all";
      for (const finding of findings) if (!open || !finding.hidden) finding.querySelector(":scope > details").open = open;
    });
  }

  // A link to a finding unfolds it, and whatever hides it.
  const follow = () => {
    const hash = location.hash.slice(1);
    if (hash.includes("=")) {
      filters = filtersIn(hash);
      apply();
      one("#findings").scrollIntoView();
      return;
    }
    apply();
    let name = hash;
    try { name = decodeURIComponent(hash); } catch { /* as it stands */ }
    const target = name && document.getElementById(name);
    if (!target || !target.classList.contains("finding")) return;
    if (target.hidden) { filters = filtersIn(""); apply(); }
    for (let at = target; at; at = at.parentElement.closest(".finding")) at.querySelector(":scope > details").open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", follow);
  follow();

  // What is folded costs nothing: buttons come when it unfolds. What scrolls can then be reached by keyboard; what does
  // not scroll is no stop on the way.
  const unfolded = (selector, within) => all(selector, within).filter((one) => !one.closest("details:not([open])"));
  const scrolls = (one) => one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1;
  const ready = (within) => {
    for (const block of unfolded(".copyable", within)) if (!block.querySelector(".copy")) addCopy(block);
    const stops = unfolded("pre, .scroll", within).map((one) => [one, scrolls(one)]);
    for (const [one, stop] of stops) {
      if (stop) one.tabIndex = 0;
      else if (one.hasAttribute("tabindex")) one.removeAttribute("tabindex");
    }
  };
  document.addEventListener("toggle", (event) => { if (event.target.open) ready(event.target); }, true);
  addEventListener("resize", () => ready(document));
  ready(document);

  // On paper everything is unfolded, except what went over the wire.
  let forPaper = [];
  addEventListener("beforeprint", () => {
    if (forPaper.length) return;
    forPaper = findings.map((finding) => finding.querySelector(":scope > details")).filter((details) => !details.open);
    for (const details of forPaper) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of forPaper) details.open = false;
    forPaper = [];
  });
})();
