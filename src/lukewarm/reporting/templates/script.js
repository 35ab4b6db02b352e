"use strict";
// The page is whole without this script. It adds sorting, filtering, switches, a download and the
// choice between light and dark. Names only ever become text, never markup.
(() => {
  const find = (selector, within = document) => within.querySelector(selector);
  const findAll = (selector, within = document) => [...within.querySelectorAll(selector)];

  const theme = find("#theme");
  const root = document.documentElement;
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);
  const nameTheme = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
  theme.hidden = false;
  theme.setAttribute("aria-label", "Switch between light and dark");
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    nameTheme();
  });
  prefersDark.addEventListener("change", nameTheme);
  nameTheme();

  const form = find(".tools");
  if (!form) return;
  const SHOWN_BARS = 30;
  const panels = findAll(".panel").map((node) => ({
    node,
    data: JSON.parse(find('script[type="application/json"]', node).textContent),
    rows: findAll("tbody tr", node),
    names: findAll("tbody th", node).map((cell) => cell.textContent.trim()),
    heads: findAll("thead th", node),
    chart: find(".chart", node),
  }));
  // What the page says at its own level; numbers that are rounded twice could differ from it.
  for (const panel of panels) {
    const place = (key) => panel.heads.findIndex((head) => head.dataset.key === key);
    panel.said = Object.fromEntries(["value", "low", "high"].map((key) =>
      [key, panel.rows.map((row) => row.cells[place(key)].textContent.trim())]));
  }
  const state = { panel: 0, query: "", p: "p_holm", clear: false, all: false };
  state.level = panels[0].data.level;
  state.sort = panels[0].data.sort;

  // Values go down from the largest at first, p-values and names up from the smallest.
  const fallsAtFirst = (key) => key !== "name" && !key.startsWith("p_");
  state.falls = fallsAtFirst(state.sort);

  const format = (value, decimals) => {
    if (value === null || !Number.isFinite(value)) return "not known";
    const text = value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
    return text.replace(/^-(?=[0.,]*$)/, "").replace("-", "\u2212");
  };
  const shorten = (name) => {
    const letters = [...name];
    if (letters.length <= 60) return name;
    const head = letters.slice(0, 44), tail = letters.slice(-15);
    const end = head.lastIndexOf(" "), start = tail.indexOf(" ");
    if (end < 30) return head.join("") + "\u2026" + tail.join("");
    const rest = tail.slice(start < 8 ? start + 1 : 0).join("");
    return head.slice(0, end).join("").trimEnd() + "\u2026 " + rest;
  };
  const endsOf = ({ data }, level) =>
    level === data.level || !data.intervals[level] ? [data.columns.low, data.columns.high] : data.intervals[level];

  const axisOver = (values) => {
    const low = Math.min(0, ...values);
    const high = Math.max(0, ...values) || (low < 0 ? 0 : 1);
    const least = (high - low) / 5;
    const size = 10 ** Math.floor(Math.log10(least));
    const step = size * [1, 2, 5, 10].find((factor) => size * factor >= least * 0.999);
    const first = Math.ceil(low / step), last = Math.floor(high / step);
    const ticks = Array.from({ length: last - first + 1 }, (_, number) => step * (first + number));
    const place = (value) => (100 * (Math.min(Math.max(value, low), high) - low)) / (high - low);
    return { ticks, place, decimals: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
  };

  const svg = (tag, attributes, parent) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    if (parent) parent.append(node);
    return node;
  };
  const html = (tag, className, text, parent) => {
    const node = document.createElement(tag);
    if (className) node.className = className;
    if (text !== "") node.textContent = text;
    if (parent) parent.append(node);
    return node;
  };
  const startTrack = (bar) => svg("svg", { "aria-hidden": "true", focusable: "false" }, html("span", "track", "", bar));
  const drawLine = (kind, x, track) => svg("line", { class: kind, x1: x + "%", x2: x + "%", y2: "100%" }, track);
  const drawBox = (kind, [from, to], track) =>
    svg("rect", { class: kind, x: Math.min(from, to) + "%", width: Math.abs(to - from) + "%", height: kind === "box" ? 16 : 2 }, track);

  const saidEnds = (panel, ends, number) => {
    if (ends[0] === panel.data.columns.low) return [panel.said.low[number], panel.said.high[number]];
    return ends.map((end) => format(end[number] === null ? null : panel.data.scale * end[number], panel.data.decimals));
  };

  const drawBar = (panel, number, axis, ends) => {
    const { scale, columns } = panel.data;
    const value = scale * columns.value[number];
    const filled = value < 0 && panel.data.one_sided ? " clear" : " clear filled";
    const bar = html("div", "bar" + (isClear(panel, number) ? filled : ""), "");
    html("bdi", "", shorten(panel.names[number]), html("span", "name", "", bar));
    const track = startTrack(bar);
    for (const tick of axis.ticks) drawLine("grid", axis.place(tick), track);
    drawLine("zero", axis.place(0), track);
    if (value) drawBox("box", [axis.place(0), axis.place(value)], track);
    let said = panel.said.value[number];
    if (ends && ends[0][number] !== null && ends[1][number] !== null) {
      const places = ends.map((end) => axis.place(scale * end[number]));
      drawBox("whisker", places, track);
      for (const place of places) svg("rect", { class: "cap", x: place + "%", width: 2, height: 10 }, track);
      said += ` [${saidEnds(panel, ends, number).join(", ")}]`;
    }
    html("span", "value", said, bar);
    return bar;
  };

  const drawAxis = (axis) => {
    const bar = html("div", "bar axis", "");
    html("span", "name", "", bar);
    const track = startTrack(bar);
    for (const tick of axis.ticks) {
      svg("text", { x: axis.place(tick) + "%", y: 16 }, track).textContent = format(tick, axis.decimals);
    }
    html("span", "value", "", bar);
    return bar;
  };

  const isClear = (panel, number) => {
    const p = panel.data.columns[state.p][number];
    return p !== null && p < panel.data.alpha;
  };

  const chosenRows = (panel) => {
    const query = state.query.trim().toLocaleLowerCase();
    const numbers = [...panel.names.keys()].filter((number) =>
      (!query || panel.names[number].toLocaleLowerCase().includes(query)) && (!state.clear || isClear(panel, number)));
    const ends = endsOf(panel, state.level);
    const column = { name: panel.names, low: ends[0], high: ends[1] }[state.sort] || panel.data.columns[state.sort];
    const sign = state.falls ? -1 : 1;
    const compare = (a, b) => {
      if (typeof a === "string") return sign * a.localeCompare(b, undefined, { numeric: true });
      if (a === null || b === null) return (a === null) - (b === null);
      return sign * (a - b);
    };
    return numbers.sort((a, b) => compare(column[a], column[b]) || a - b);
  };

  const drawTable = (panel, numbers) => {
    const ends = endsOf(panel, state.level);
    const level = state.level || panel.data.level;
    const shown = new Set(numbers);
    panel.heads.forEach((head, place) => {
      const key = head.dataset.key;
      const isSorted = key === state.sort;
      if (isSorted) head.setAttribute("aria-sort", state.falls ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
      if (key === "low") find("button", head).textContent = `${level} from`;
      if (key !== "low" && key !== "high") return;
      panel.rows.forEach((row, number) => {
        row.cells[place].textContent = saidEnds(panel, ends, number)[key === "low" ? 0 : 1];
      });
    });
    panel.rows.forEach((row, number) => {
      row.hidden = !shown.has(number);
      row.className = isClear(panel, number) ? "c" : "";
    });
    // Hidden rows go last: paper has the first rows only.
    find("tbody", panel.node).prepend(...numbers.map((number) => panel.rows[number]));
  };

  const P_WORDS = {
    p_holm: "p adjusted by Holm\u2019s method", p_bh: "p adjusted by Benjamini and Hochberg\u2019s method", p_value: "p, not adjusted,",
  };
  const draw = () => {
    panels.forEach((panel, number) => { panel.node.hidden = number !== state.panel; });
    const panel = panels[state.panel];
    const numbers = chosenRows(panel);
    const drawn = state.all ? numbers : numbers.slice(0, SHOWN_BARS);
    const ends = state.level ? endsOf(panel, state.level) : null;
    const values = drawn.flatMap((number) =>
      [panel.data.columns.value, ...(ends || [])].map((column) => column[number]).filter((value) => value !== null));
    const axis = axisOver(values.map((value) => panel.data.scale * value));
    panel.chart.replaceChildren(...drawn.map((number) => drawBar(panel, number, axis, ends)), drawAxis(axis));
    drawTable(panel, numbers);
    const total = panel.names.length;
    const [nDrawn, nFound, nAll] = [drawn.length, numbers.length, total].map((count) => format(count, 0));
    find('[data-is="level"]', panel.node).textContent = state.level || "no level (hidden)";
    find('[data-is="p"]', panel.node).textContent = P_WORDS[state.p];
    find('[data-is="shown"]', panel.node).textContent = drawn.length < total ? `${nDrawn} of ${nAll} features shown.` : "";
    find(".status").textContent = numbers.length < total
      ? `${nFound} of ${nAll} features fit the filter.` : `${nAll} feature${total > 1 ? "s" : ""}.`;
  };

  const tableOf = (panel) => {
    const { columns, quantity } = panel.data;
    const heads = { value: quantity, low: "ci_low", high: "ci_high" };
    const keys = Object.keys(columns);
    return {
      heads: ["feature", ...keys.map((key) => heads[key] || key)],
      rows: chosenRows(panel).map((number) => [panel.names[number], ...keys.map((key) => columns[key][number])]),
    };
  };
  // A spreadsheet takes a cell that starts like this for a formula, quoted or not.
  const csvText = (text) => {
    const harmless = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) ? "'" + text : text;
    return `"${harmless.replaceAll('"', '""')}"`;
  };
  const csvOf = ({ heads, rows }) => {
    const lines = rows.map(([name, ...values]) => [csvText(name), ...values.map((value) => value ?? "")]);
    // Excel reads a file as UTF-8 if it starts with this mark.
    return "\uFEFF" + [heads, ...lines].map((line) => line.join(",")).join("\r\n") + "\r\n";
  };

  // An Excel file is a zip of XML parts. They are stored as they are; each has its checksum.
  const checksum = (bytes) => {
    let sum = -1;
    for (const byte of bytes) {
      sum ^= byte;
      for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
    }
    return ~sum >>> 0;
  };
  const littleEndian = (...fields) => fields.flatMap(([value, length]) =>
    Array.from({ length }, (_, place) => (value >>> (8 * place)) & 255));
  const zipOf = (parts) => {
    const encode = (text) => new TextEncoder().encode(text);
    const pieces = [], index = [];
    let offset = 0;
    for (const [name, text] of Object.entries(parts)) {
      const [path, content] = [encode(name), encode(text)];
      // Version, flags (names are UTF-8), no compression, the first day of 1980, checksum, sizes.
      const about = littleEndian([20, 2], [0x800, 2], [0, 2], [0, 2], [0x21, 2], [checksum(content), 4],
        [content.length, 4], [content.length, 4], [path.length, 2], [0, 2]);
      const head = [...littleEndian([0x04034b50, 4]), ...about];
      pieces.push(Uint8Array.from(head), path, content);
      index.push(Uint8Array.from([...littleEndian([0x02014b50, 4], [20, 2]), ...about,
        ...littleEndian([0, 2], [0, 2], [0, 2], [0, 4], [offset, 4])]), path);
      offset += head.length + path.length + content.length;
    }
    const size = index.reduce((total, piece) => total + piece.length, 0);
    const count = Object.keys(parts).length;
    const end = littleEndian([0x06054b50, 4], [0, 2], [0, 2], [count, 2], [count, 2], [size, 4], [offset, 4], [0, 2]);
    return [...pieces, ...index, Uint8Array.from(end)];
  };
  const xlsxOf = ({ heads, rows }) => {
    const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
    const cell = (value) => typeof value === "string"
      ? `<c t="inlineStr"><is><t xml:space="preserve">${escape(value)}</t></is></c>`
      : value === null ? "<c/>" : `<c><v>${value}</v></c>`;
    const lines = [heads, ...rows].map((cells) => `<row>${cells.map(cell).join("")}</row>`).join("");
    const start = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
    const formats = "http://schemas.openxmlformats.org/";
    const main = formats + "spreadsheetml/2006/main", links = formats + "package/2006/relationships";
    const kind = formats + "officeDocument/2006/relationships", types = formats + "package/2006/content-types";
    const media = "application/vnd.openxmlformats-officedocument.spreadsheetml.";
    const link = (name, target) => `${start}<Relationships xmlns="${links}"><Relationship Id="rId1" Type="${kind}/${name}" Target="${target}"/></Relationships>`;
    return zipOf({
      "[Content_Types].xml": `${start}<Types xmlns="${types}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${media}sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${media}worksheet+xml"/></Types>`,
      "_rels/.rels": link("officeDocument", "xl/workbook.xml"),
      "xl/workbook.xml": `${start}<workbook xmlns="${main}" xmlns:r="${kind}"><sheets><sheet name="lukewarm" sheetId="1" r:id="rId1"/></sheets></workbook>`,
      "xl/_rels/workbook.xml.rels": link("worksheet", "worksheets/sheet1.xml"),
      "xl/worksheets/sheet1.xml": `${start}<worksheet xmlns="${main}"><cols><col min="1" max="1" width="32" customWidth="1"/></cols><sheetData>${lines}</sheetData></worksheet>`,
    });
  };

  const FILES = {
    csv: [(table) => [csvOf(table)], "text/csv;charset=utf-8"],
    xlsx: [xlsxOf, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  };
  const download = (panel, ending) => {
    const [contentOf, type] = FILES[ending];
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(contentOf(tableOf(panel)), { type }));
    link.download = `${panel.data.quantity}.${ending}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };

  for (const panel of panels) {
    find(".downloads", panel.node).hidden = false;
    for (const button of findAll(".downloads button", panel.node)) {
      button.addEventListener("click", () => download(panel, button.dataset.type));
    }
    for (const head of panel.heads) {
      const sorter = html("button", "", head.textContent, null);
      sorter.type = "button";
      head.replaceChildren(sorter);
      sorter.addEventListener("click", () => {
        const key = head.dataset.key;
        state.falls = key === state.sort ? !state.falls : fallsAtFirst(key);
        state.sort = key;
        const { sort } = form.elements;
        if (sort && [...sort.options].some((option) => option.value === key)) sort.value = key;
        draw();
      });
    }
  }
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => {
    const { name, type, value, checked } = event.target;
    state[name] = type === "checkbox" ? checked : name === "panel" ? Number(value) : value;
    if (name === "sort") state.falls = fallsAtFirst(value);
    draw();
  });
  form.reset();
  draw();
})();
