// src/values/plain-data.ts
function isMap(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
function merge(base, over) {
  if (!isMap(base) || !isMap(over)) return over === void 0 ? base : over;
  const names = /* @__PURE__ */ new Set([...Object.keys(base), ...Object.keys(over)]);
  return Object.fromEntries([...names].map((name) => [name, merge(base[name], over[name])]));
}
var copies = /* @__PURE__ */ new WeakMap();
function frozenCopy(value) {
  let copy = copies.get(value);
  if (copy === void 0) {
    copy = copyFrozen(value);
    copies.set(value, copy);
  }
  return copy;
}
function copyFrozen(value) {
  if (Array.isArray(value)) return Object.freeze(value.map(copyFrozen));
  if (value instanceof Date) return new Date(value);
  if (!isMap(value)) return value;
  const copy = { ...value };
  for (const name of Object.keys(copy)) copy[name] = copyFrozen(copy[name]);
  return Object.freeze(copy);
}
function deepFreeze(value) {
  if (typeof value === "object" && value !== null && !(value instanceof Date)) {
    for (const part of Object.values(value)) deepFreeze(part);
    Object.freeze(value);
  }
  return value;
}

// src/validation/issue.ts
var cut = (name) => name.length > 80 ? `${name.slice(0, 80)}\u2026` : name;
function issueAt(steps2, message, onName = false) {
  const path = steps2.map((step) => typeof step === "number" ? `[${step}]` : `.${cut(step)}`).join("");
  return { path: path.replace(/^\./, ""), message, steps: steps2, ...onName && { onName } };
}
var maximumLines = 100;
var maximumLineLength = 500;
function formatIssues(issues, subject) {
  const more = issues.length - maximumLines;
  return [
    ...issues.slice(0, maximumLines).map((issue) => formatIssue(issue, subject)),
    ...more > 0 ? [`and ${more} more`] : []
  ].join("\n");
}
function formatIssue({ path, message, file, line, column }, subject) {
  const place = file === void 0 ? `${subject}${path && ` at ${path}`}` : [file, line, column].filter(Boolean).join(":");
  const text2 = [place, ...file === void 0 ? [] : [path], message].filter(Boolean).join(": ");
  return escaped(text2.length > maximumLineLength ? `${text2.slice(0, maximumLineLength)}\u2026` : text2);
}
var escaped = (text2) => text2.replace(
  /[\p{Cc}\p{Bidi_C}\u2028\u2029]/gu,
  (char) => char < " " ? JSON.stringify(char).slice(1, -1) : `\\u{${char.charCodeAt(0).toString(16)}}`
);

// src/validation/nearest.ts
function nearest(written, names) {
  const issues = names.map((name2) => distance(written.toLowerCase(), name2.toLowerCase()));
  const least2 = Math.min(...issues);
  const name = names[issues.indexOf(least2)];
  return name !== void 0 && least2 <= Math.max(1, Math.floor(name.length / 3)) ? name : void 0;
}
function hintFor(written, names, otherwise = "") {
  const meant = nearest(written, names);
  return meant === void 0 ? otherwise : `; did you mean ${meant}?`;
}
function distance(a, b) {
  if (Math.abs(a.length - b.length) > 6) return Number.POSITIVE_INFINITY;
  const rows = [[...b, ""].map((_, column) => column)];
  for (let row = 1; row <= a.length; row++) {
    const [above = [], beyond = []] = rows;
    const costs = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      costs[column] = Math.min(
        above[column] + 1,
        costs[column - 1] + 1,
        above[column - 1] + (same ? 0 : 1),
        swapped ? beyond[column - 2] + 1 : Number.POSITIVE_INFINITY
      );
    }
    rows.unshift(costs);
  }
  return rows[0]?.[b.length];
}

// src/validation/schema.ts
var maximumIssues = 1e3;
function check(schema, value, issues) {
  if (schema.accepts(value)) return schema.read(value, issues);
  issues.push({ steps: [], message: otherThan(schema, value) });
  return void 0;
}
function otherThan({ labels, entries = {} }, value) {
  const words = labels.flatMap((label) => label.startsWith('"') ? [JSON.parse(label)] : []);
  const hint = typeof value === "string" ? withoutSpace(value, Object.keys(entries)) ?? hintFor(value, words) : "";
  return `expected ${anyOf(labels)}, got ${value === void 0 ? "none" : shown(value)}${hint}`;
}
function withoutSpace(word, fields2) {
  const [field = "", ...rest] = word.split(":");
  return rest.length > 0 && fields2.includes(field) ? `; put a space after the colon of ${field}` : void 0;
}
function checkAt(step, schema, value, issues) {
  const before = issues.length;
  const output = check(schema, value, issues);
  for (let at = before; at < issues.length; at++) issues[at]?.steps.unshift(step);
  return output;
}
var transform = (schema, read2) => ({
  ...schema,
  of: schema,
  read(value, issues) {
    const before = issues.length;
    const between2 = schema.read(value, issues);
    const found2 = issues.slice(before);
    if (found2.some(({ unknown }) => unknown === void 0)) return void 0;
    try {
      return read2(between2);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      if (found2.length === 0) issues.push({ steps: [], message: error.message });
      for (const [index, issue] of found2.entries()) issues[before + index] = { ...issue, unknown: void 0 };
    }
    return void 0;
  }
});
var refine = (schema, test, expected, json) => ({
  ...transform(schema, (value) => {
    if (test(value)) return value;
    throw new RangeError(`expected ${expected}${isMap(value) ? "" : `, got ${shown(value)}`}`);
  }),
  ...json && { json: { ...schema.json, ...json } }
});
function shown(value) {
  if (typeof value === "string") return escaped(`"${value}"`);
  if (Array.isArray(value)) return "a list";
  if (isMap(value)) return "a map";
  return value instanceof Date ? "a date" : typeof value === "function" ? "a function" : String(value);
}
var anyOf = (labels) => [labels.slice(0, -1).join(", "), labels.at(-1)].filter(Boolean).join(" or ");

// src/validation/schemas.ts
var kind = (word, accepts, json = {}) => ({
  labels: [word],
  json,
  accepts,
  read: (value) => value
});
var primitive = (type, word) => kind(word, (value) => typeof value === type && !Number.isNaN(value), { type });
var string = primitive("string", "text");
var number = primitive("number", "a number");
var boolean = primitive("boolean", "true or false");
var anything = kind("a value", () => true);
var oneOf = (...values) => ({
  ...kind(
    "",
    (value) => values.includes(value),
    values.length > 1 ? { enum: values } : { const: values[0] }
  ),
  labels: values.map((value) => JSON.stringify(value))
});
var list = (item) => ({
  labels: ["a list"],
  item,
  accepts: Array.isArray,
  read(values, issues) {
    const output = [];
    for (const [index, value] of values.entries()) {
      if (issues.length >= maximumIssues) break;
      output.push(checkAt(index, item, value, issues));
    }
    return output;
  }
});
var noField = "expected no such field";
function fields(entries) {
  const schemas = Object.entries(entries);
  return {
    labels: ["a map"],
    entries,
    accepts: isMap,
    read(map, issues) {
      const output = {};
      for (const [name, schema] of schemas) {
        const value = map[name];
        if (value !== void 0) output[name] = checkAt(name, schema, value, issues);
        else if (!schema.isOptional) reportMissing(name, schema, issues);
        else if (schema.fallback !== void 0) output[name] = schema.fallback;
      }
      reportUnknown(entries, map, issues);
      return output;
    }
  };
}
var reportMissing = (name, schema, issues) => issues.push({ ...issueOn(name), message: otherThan(schema, void 0) });
function reportUnknown(entries, map, issues) {
  const names = Object.keys(entries);
  for (const name of Object.keys(map)) {
    if (Object.hasOwn(entries, name)) continue;
    if (issues.length >= maximumIssues) break;
    const inside = names.find((each) => Object.hasOwn(entries[each]?.entries ?? {}, name));
    const otherwise = inside === void 0 ? `; the fields are ${names.join(", ") || "none"}` : didYouMean(inside, name);
    const hint = withoutSpace(name, names) ?? hintFor(name, names, otherwise);
    issues.push({ ...issueOn(name), message: noField + hint, unknown: nearest(name, names) ?? "" });
  }
}
var didYouMean = (...path) => `; did you mean ${path.join(".")}?`;
var issueOn = (name) => ({ steps: [name], onName: true });
var mapOf = (names, values) => ({
  labels: ["a map"],
  names,
  values,
  accepts: isMap,
  read(map, issues) {
    const output = [];
    for (const [name, value] of Object.entries(map)) {
      if (issues.length >= maximumIssues) break;
      const found2 = [];
      check(names, name, found2);
      for (const { message } of found2) issues.push({ ...issueOn(name), message });
      output.push([name, checkAt(name, values, value, issues)]);
    }
    return Object.fromEntries(output);
  }
});
var either = (...options) => ({
  labels: [...new Set(options.flatMap(({ labels }) => labels))],
  options,
  accepts: (value) => options.some((option) => option.accepts(value)),
  read(value, issues) {
    const accepting = options.filter((option) => option.accepts(value));
    if (isMap(value) && accepting.length > 1 && isNoneOf(accepting, value)) {
      const forms = options.flatMap(({ entries, labels }) => entries === void 0 ? labels : [formOf(entries)]);
      const names = Object.keys(value).slice(0, 3).map(cut).join(", ");
      issues.push({ steps: [], message: `expected ${anyOf(forms)}, got a map with ${names}` });
      return void 0;
    }
    const tries = accepting.map((option) => {
      const found2 = [];
      return { output: option.read(value, found2), found: found2, wrong: 0 };
    });
    for (const each of tries) each.wrong = wrongNames(each.found);
    const best = tries.reduce((least2, each) => each.wrong < least2.wrong ? each : least2);
    issues.push(...best.found);
    return best.output;
  }
});
function isNoneOf(options, map) {
  const names = Object.keys(map);
  const known2 = options.flatMap(({ entries }) => Object.keys(entries ?? {}));
  return names.length > 0 && options.every(({ entries }) => entries !== void 0) && names.every((name) => !known2.includes(name) && nearest(name, known2) === void 0);
}
var formOf = (entries) => `a map with ${Object.keys(entries).join(" and ")}`;
var wrongNames = (issues) => issues.filter(({ steps: steps2, onName }) => steps2.length === 1 && onName).reduce((sum, { message }) => sum + (!message.startsWith(noField) ? 1 : message.endsWith("?") ? 9 : 10), 0);
function optional(schema, fallback) {
  return { ...schema, of: schema, isOptional: true, fallback };
}

// src/scenario/expectation.ts
var findingCodes = [
  "early-retry",
  "overslept",
  "no-backoff-growth",
  "no-jitter",
  "retry-storm",
  "no-shared-gate",
  "ban-tripped",
  "ban-hammered",
  "duplicate-write",
  "lost-write",
  "body-changed",
  "retried-401",
  "ignored-day-window",
  "gave-up",
  "impatient",
  "late-request",
  "deprecated-operation",
  "rounded-int64",
  "proactive"
];
var expectationSchema = fields({
  verdict: optional(oneOf("pass")),
  served: optional(boolean),
  fail: optional(list(oneOf(...findingCodes)))
});

// src/values/harmless.ts
var harmless = (text2) => text2.toWellFormed().replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\uFFFD");

// src/judge/few-findings.ts
var mostShown = 3;
function fewFindings(findings) {
  const shown2 = [];
  for (const finding2 of findings) {
    const alike = shown2.filter(
      ({ finding: { code, severity } }) => code === finding2.code && severity === finding2.severity
    );
    if (alike.length < mostShown) shown2.push({ finding: finding2, hidden: [] });
    else alike.at(-1)?.hidden.push(finding2);
  }
  return shown2;
}
function requestsOf({ requests }) {
  const sorted = [...new Set(requests)].sort((a, b) => a - b);
  const ranges = [];
  for (const id of sorted) {
    const range = ranges.at(-1);
    if (range !== void 0 && range.last === id - 1) range.last = id;
    else ranges.push({ first: id, last: id });
  }
  const shown2 = ranges.slice(0, 6);
  const rest = ranges.slice(6).reduce((sum, { first, last }) => sum + last - first + 1, 0);
  const text2 = shown2.map(({ first, last }) => first === last ? `${first}` : `${first}\u2013${last}`).join(", ");
  return `request${sorted.length === 1 ? "" : "s"} ${text2}${rest > 0 ? ` and ${rest} more` : ""}`;
}

// src/values/group-by.ts
function groupBy(items, keyOf2) {
  const groups = /* @__PURE__ */ new Map();
  for (const item of items) {
    const key = keyOf2(item);
    const group2 = groups.get(key);
    if (group2 === void 0) groups.set(key, [item]);
    else group2.push(item);
  }
  return groups;
}
function groupByNumber(items, numberOf) {
  const groups = [];
  for (const item of items) {
    const number2 = numberOf(item);
    const group2 = groups[number2];
    if (group2 === void 0) groups[number2] = [item];
    else group2.push(item);
  }
  return groups;
}

// src/judge/finding.ts
function finding(code, severity, requests, { measured, allowed, text: text2 }) {
  return {
    code,
    severity,
    at: new Date(requests[0]?.arrivedAtMs ?? 0).toISOString(),
    requests: requests.map(({ id }) => id),
    measured,
    allowed,
    text: text2
  };
}
function span(ms) {
  const size = Math.abs(ms);
  if (size < 1e3) return `${Math.round(ms)} ms`;
  if (size < 12e4) return `${(ms / 1e3).toFixed(1)} s`;
  const [unit, length2] = size < 72e5 ? ["min", 6e4] : size < 1728e5 ? ["h", 36e5] : ["days", 864e5];
  return `${Number((ms / length2).toFixed(1))} ${unit}`;
}
var times = (count2) => count2 === 1 ? "once" : count2 === 2 ? "twice" : `${count2} times`;
var theFirst = (requests) => requests.length > 1 ? "the first " : "";
var target = ({ method, path, query }) => `${method} ${path}${query && `?${query}`}`;

// src/judge/request-kind.ts
var requestKinds = ["banned", "strike", "refused", "unauthorized", "rejected", "failed", "served"];
var isUnknown = ({ isUnreadable, isAbandoned, status: status2 }) => isUnreadable || isAbandoned || status2 === 0 || status2 >= 500;
var isAnswered = (request) => !request.isRefused && !isUnknown(request);
var isServed = (request) => isAnswered(request) && request.status < 400;
function requestKind(request, isStrike) {
  if (isStrike) return "strike";
  if (request.isBan) return "banned";
  if (request.isRefused) return "refused";
  if (isUnknown(request)) return "failed";
  if (request.status === 401) return "unauthorized";
  return isServed(request) ? "served" : "rejected";
}

// src/judge/report/axis.ts
var longestShare = 0.9;
var cutShare = 0.3;
var steps = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  1e3,
  2e3,
  5e3,
  1e4,
  15e3,
  3e4,
  6e4,
  12e4,
  3e5,
  6e5,
  18e5,
  36e5,
  72e5,
  216e5,
  432e5,
  864e5
];
function axisOf({ startMs: startMs2, endMs, rows }, mostTicks) {
  const wholeMs = Math.max(1, endMs - startMs2);
  const gap = longestGap([
    startMs2,
    endMs,
    ...rows.flatMap(({ marks, waits, bans }) => [
      ...marks.map(({ atMs }) => atMs),
      ...[...waits, ...bans].map(({ toMs }) => toMs).filter((ms) => ms < endMs)
    ])
  ]);
  const gapMs2 = gap.toMs - gap.fromMs;
  const isCut = gapMs2 > wholeMs * longestShare && gapMs2 < wholeMs;
  const scale = isCut ? (1 - cutShare) / (wholeMs - gapMs2) : 1 / wholeMs;
  const at = (ms) => {
    if (!isCut || ms <= gap.fromMs) return (ms - startMs2) * scale;
    if (ms >= gap.toMs) return 1 - (endMs - ms) * scale;
    return (gap.fromMs - startMs2) * scale + (ms - gap.fromMs) / gapMs2 * cutShare;
  };
  const shownMs = isCut ? wholeMs - gapMs2 : wholeMs;
  const most = isCut ? mostTicks * (1 - cutShare) : mostTicks;
  const stepMs = steps.find((each) => shownMs / each <= most) ?? Math.ceil(shownMs / most / 864e5) * 864e5;
  const ticks = [];
  for (let ms = startMs2; ms <= endMs; ms += stepMs) {
    if (isCut && ms > gap.fromMs && ms < gap.toMs) {
      ms += Math.floor((gap.toMs - ms) / stepMs) * stepMs;
      continue;
    }
    ticks.push({ at: at(ms), label: offset(ms - startMs2, stepMs) });
  }
  const cut3 = isCut ? { at: (at(gap.fromMs) + at(gap.toMs)) / 2, ms: gapMs2 } : void 0;
  return { at: (ms) => Math.min(1, Math.max(0, at(ms))), ticks, cut: cut3 };
}
function offset(ms, stepMs) {
  if (stepMs < 1e3 && ms < 1e3) return `${ms} ms`;
  if (ms < 6e4) return `${Number((ms / 1e3).toFixed(3))} s`;
  if (ms >= 36e5) return `${Number((ms / 36e5).toFixed(stepMs < 36e4 ? 2 : 1))} h`;
  const seconds2 = Math.round(ms % 6e4 / 1e3);
  return `${Math.floor(ms / 6e4)}${seconds2 === 0 ? "" : `:${String(seconds2).padStart(2, "0")}`} min`;
}
function longestGap(instants) {
  const sorted = [...instants].sort((a, b) => a - b);
  let longest2 = { fromMs: 0, toMs: 0 };
  for (const [index, toMs] of sorted.entries()) {
    const fromMs = sorted[index - 1] ?? toMs;
    if (toMs - fromMs > longest2.toMs - longest2.fromMs) longest2 = { fromMs, toMs };
  }
  return longest2;
}

// src/judge/report/terminal-axis.ts
function drawAxis({ ticks, cut: cut3 }, width) {
  const line = Array.from({ length: width }, () => "\u2500");
  let labels = "";
  const write = (at, text2) => {
    const start = Math.min(at, width - text2.length);
    if (start < labels.length + (labels === "" ? 0 : 2)) return;
    labels = labels.padEnd(start) + text2;
  };
  const places = [
    ...ticks.map(({ at, label }) => ({ at: Math.round(at * (width - 1)), label, mark: "\u2534" })),
    ...cut3 === void 0 ? [] : [{ at: Math.round(cut3.at * (width - 1)), label: `(${span(cut3.ms)})`, mark: "\u2248" }]
  ].sort((a, b) => a.at - b.at);
  for (const { at, label, mark } of places) {
    line[at] = mark;
    write(mark === "\u2248" ? at - Math.floor(label.length / 2) : at, label);
  }
  return [line.join(""), labels];
}

// src/values/counted.ts
var counted = (count2, one, many = `${one}s`) => `${count2} ${count2 === 1 ? one : many}`;

// src/judge/unrecorded.ts
var mostNamed = 3;
function describeOutside(unrecorded = []) {
  const outside = unrecorded.filter(({ why }) => why === "outside");
  const [first] = outside;
  if (first === void 0) return void 0;
  const paths = named(outside.map(({ path }) => path));
  return `${counted(countOf(outside), "request")} came to ${paths}; the API is under ${first.api}.`;
}
function describeGuarded(unrecorded = []) {
  const guarded = unrecorded.filter(({ why }) => why === "guarded");
  if (guarded.length === 0) return void 0;
  const routes = named(guarded.map(({ method, path }) => `${method} ${path}`.trim()));
  const refused = countOf(guarded.filter(({ status: status2 }) => status2 !== void 0));
  const of = refused === 0 ? "" : `, ${refused} of them refused`;
  return `${counted(countOf(guarded), "request")} came to guarded routes (${routes})${of}; the journal does not show them, so the run is not known as a whole.`;
}
var countOf = (groups) => groups.reduce((sum, { count: count2 }) => sum + count2, 0);
function named(texts2) {
  const all = [...new Set(texts2)];
  const shown2 = all.slice(0, mostNamed);
  if (all.length > mostNamed) shown2.push(`${all.length - mostNamed} more`);
  const last = shown2.length > 1 ? ` and ${shown2.pop()}` : "";
  return shown2.join(", ") + last;
}

// src/judge/report/wording.ts
var markNames = {
  served: "served",
  refused: "refused",
  strike: "strike",
  banned: "refused in a ban",
  unauthorized: "401",
  rejected: "another 4xx",
  failed: "no answer of use"
};
function countsLine(verdict) {
  const { requests, served, refused, banned, dropped } = verdict.counts;
  const other = requests - served - refused;
  const parts = [`${served} served`, `${refused} refused${banned > 0 ? ` (${banned} by a ban)` : ""}`];
  if (other > 0) parts.push(`${other} other`);
  const unrecorded = countOf(verdict.unrecorded ?? []);
  if (unrecorded > 0) parts.push(`${unrecorded} not recorded`);
  if (dropped > 0) parts.push(`${dropped} before them dropped`);
  return `${counted(requests, "request")}: ${parts.join(", ")}`;
}
var since = ({ at }, startMs2) => `+${span(Date.parse(at) - startMs2)}`;
function hiddenLine(hidden, startMs2) {
  const last = hidden.at(-1);
  return last === void 0 ? "" : `and ${hidden.length} more of ${last.code}, the last at ${since(last, startMs2)}`;
}
var untested = ({ exercised, findings }) => findingCodes.filter((code) => !exercised.includes(code) && !findings.some((finding2) => finding2.code === code));

// src/judge/report/terminal-timeline.ts
var glyphs = {
  served: "\u2022",
  refused: "\xD7",
  strike: "!",
  banned: "#",
  unauthorized: "?",
  rejected: "\u25CB",
  failed: "~"
};
var colours = {
  served: "green",
  refused: "yellow",
  strike: "red",
  banned: "red",
  unauthorized: "cyan",
  rejected: "cyan",
  failed: "cyan"
};
var wait = "\u2500";
var deadline = "\u2524";
var ban = "\u2550";
var open = "\u203A";
var leastLabel = 18;
var mostLabel = 28;
var passed = ["served", "failed", "rejected", "unauthorized"];
function drawTimeline(timeline, columns, style) {
  const labels = timeline.rows.map(({ name, plan = "" }) => harmless(`${name} ${plan}`).trim());
  const labelWidth = Math.min(mostLabel, Math.max(leastLabel, ...labels.map(({ length: length2 }) => length2 + 2)));
  const width = columns - labelWidth;
  const axis = axisOf(timeline, Math.floor(width / 9));
  const column = (ms) => Math.round(axis.at(ms) * (width - 1));
  const blank = " ".repeat(labelWidth);
  const rows = timeline.rows.flatMap((row, index) => {
    const label = labels[index].slice(0, labelWidth - 2).padEnd(labelWidth);
    const above = Array.from({ length: width }, () => " ");
    const below = [...above];
    const isAbove = ({ kind: kind2 }) => passed.includes(kind2);
    drawSpans(below, row, timeline, column, style);
    drawMarks(above, row.marks.filter(isAbove), column, style);
    drawMarks(
      below,
      row.marks.filter((mark) => !isAbove(mark)),
      column,
      style
    );
    writeOpenEnds(below, row, timeline, column, style);
    const lines = [above, below].map((cells) => cells.join("").trimEnd()).filter((line) => line !== "");
    return lines.map((line, index2) => `  ${index2 === 0 ? label : blank}${line}`);
  });
  const scale = drawAxis(axis, width).map((line) => `  ${blank}${style("dim", line)}`);
  return [...rows, ...scale, "", ...legend(timeline, columns, style)];
}
var barsOf = ({ waits, bans }) => [
  { spans: waits, line: wait, colour: "yellow" },
  { spans: bans, line: ban, colour: "red" }
];
function drawSpans(cells, row, { endMs }, column, style) {
  for (const { spans, line, colour } of barsOf(row)) {
    for (const { fromMs, toMs, hasDeadline } of spans) {
      const last = column(toMs);
      for (let at = column(fromMs); at <= last; at++) cells[at] = style(colour, line);
      if (toMs > endMs) cells[last] = style(colour, open);
      else if (hasDeadline) cells[last] = style(colour, deadline);
    }
  }
}
function writeOpenEnds(cells, row, { endMs }, column, style) {
  for (const { spans, colour } of barsOf(row)) {
    for (const { fromMs, toMs } of spans) {
      const text2 = ` ${span(toMs - fromMs)} ${open}`;
      const start = cells.length - text2.length;
      const isFree = row.marks.every(({ atMs }) => column(atMs) < start);
      if (toMs <= endMs || !isFree) continue;
      for (const [index, character] of [...text2].entries()) cells[start + index] = style(colour, character);
    }
  }
}
function drawMarks(cells, marks, column, style) {
  const places = groupBy(marks, ({ atMs }) => column(atMs));
  for (const [at, here] of places) {
    const gravest = requestKinds.find((each) => here.some(({ kind: kind2 }) => kind2 === each));
    cells[at] = style(colours[gravest], glyphs[gravest]);
    const digits = here.length === 1 ? [] : [...String(here.length)];
    const isFree = (index) => at + index < cells.length && !places.has(at + index);
    if (!digits.every((_, index) => isFree(index + 1)) || !isFree(digits.length + 1)) continue;
    for (const [index, digit] of digits.entries()) cells[at + index + 1] = style("dim", digit);
  }
}
function legend({ rows }, columns, style) {
  const used = new Set(rows.flatMap(({ marks }) => marks.map(({ kind: kind2 }) => kind2)));
  const items = [...requestKinds].reverse().filter((kind2) => used.has(kind2)).map((kind2) => ({ sign: glyphs[kind2], colour: colours[kind2], name: markNames[kind2] }));
  if (rows.some(({ waits }) => waits.length > 0)) {
    items.push({ sign: wait + deadline, colour: "yellow", name: "told to wait" });
  }
  if (rows.some(({ bans }) => bans.length > 0)) items.push({ sign: ban + deadline, colour: "red", name: "banned" });
  const lines = [];
  let lineLength = 0;
  for (const { sign, colour, name } of items) {
    const length2 = sign.length + 1 + name.length;
    const text2 = `${style(colour, sign)} ${name}`;
    if (lines.length === 0 || lineLength + 3 + length2 > columns) {
      lines.push(`  ${text2}`);
      lineLength = 2 + length2;
    } else {
      lines.push(`${lines.pop()}   ${text2}`);
      lineLength += 3 + length2;
    }
  }
  return lines;
}

// src/values/steps.ts
function inOneGo(steps2) {
  let step = steps2.next();
  while (!step.done) step = steps2.next();
  return step.value;
}
function* mapInSteps(items, map) {
  const mapped = [];
  for (const [index, item] of items.entries()) {
    mapped.push(map(item, index));
    yield;
  }
  return mapped;
}

// src/rate-limits/header-names.ts
var rateLimitHeaders = {
  /** "The limit in force." */
  limit: "X-RateLimit-Limit",
  /** "Requests remaining in the current window." */
  remaining: "X-RateLimit-Remaining",
  /** "Unix timestamp at which the limit resets." */
  reset: "X-RateLimit-Reset"
};
var retryAfterHeader = "Retry-After";

// src/judge/promises.ts
var httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
function readRetryAfter(answer) {
  const text2 = answer.headers[retryAfterHeader];
  if (text2 === void 0) return void 0;
  if (/^\d+(\.\d+)?$/.test(text2)) return Number(text2) * 1e3;
  return httpDate.test(text2) ? Math.max(0, Date.parse(text2) - answer.answeredAtMs) : void 0;
}
var isRetryDate = (answer) => httpDate.test(answer.headers[retryAfterHeader] ?? "");
function readReset(answer) {
  const text2 = answer.headers[rateLimitHeaders.reset] ?? "";
  if (!/^\d+$/.test(text2)) return void 0;
  const value = Number(text2);
  const unit = unitOfReset(value);
  if (unit === "Unix milliseconds") return value;
  return unit === "seconds that are left" ? answer.answeredAtMs + value * 1e3 : value * 1e3;
}
var unitOfReset = (value) => value > 1e11 ? "Unix milliseconds" : value < 1e8 ? "seconds that are left" : "Unix seconds";
function describeReset(answer) {
  const text2 = answer.headers[rateLimitHeaders.reset];
  return `${text2}, ${unitOfReset(Number(text2))}`;
}
var noPromises = { deadlineMs: void 0, retryAfterMs: void 0, resetMs: void 0 };
function promisesOf(answer, isRefused2) {
  if (!isRefused2 && answer.status !== 503) return noPromises;
  const retryAfterMs = readRetryAfter(answer);
  const resetMs = isRefused2 ? readReset(answer) : void 0;
  if (retryAfterMs === void 0) return { deadlineMs: resetMs, retryAfterMs, resetMs };
  const untilMs = answer.answeredAtMs + retryAfterMs;
  const isAhead = resetMs !== void 0 && resetMs > answer.arrivedAtMs;
  return isAhead ? { deadlineMs: Math.min(untilMs, resetMs), retryAfterMs, resetMs } : { deadlineMs: untilMs, retryAfterMs, resetMs: void 0 };
}

// src/values/int64.ts
var least = -(2n ** 63n);
var greatestInt64 = 2n ** 63n - 1n;
var canonicalText = /^(?:0|-?[1-9][0-9]{0,18})$/;
function normalizeInteger(value) {
  if (typeof value === "number") return value === 0 ? 0 : value;
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}
function isInt64(value) {
  if (typeof value === "number") return Number.isSafeInteger(value);
  return typeof value === "bigint" && value >= least && value <= greatestInt64;
}
function parseInt64(text2) {
  if (!canonicalText.test(text2)) return void 0;
  if (text2.length <= 15) return Number(text2);
  const value = BigInt(text2);
  return isInt64(value) ? normalizeInteger(value) : void 0;
}
function nextInt64(value) {
  if (typeof value === "number" && value < Number.MAX_SAFE_INTEGER) return value + 1;
  const next = BigInt(value) + 1n;
  return next > greatestInt64 ? value : normalizeInteger(next);
}
function compareInt64(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

// src/values/json.ts
var JsonError = class extends Error {
  name = "JsonError";
};
var maximumBodyDepth = 32;
var maximumDigits = 40;
var numberToken = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
var whitespace = /[ \t\n\r]*/y;
var plainRun = /[^"\\\u0000-\u001f]*/y;
var escapes = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "	"
};
function parseJson(text2, maximumDepth) {
  const reader = createJsonReader(text2, maximumDepth);
  const value = reader.readValue(0);
  reader.end();
  return value;
}
function createJsonReader(text2, maximumDepth = maximumBodyDepth) {
  let at = 0;
  const fail = (expected) => {
    const found2 = at < text2.length ? JSON.stringify(text2[at]) : "the end";
    throw new JsonError(`expected ${expected} at position ${at}, found ${found2}`);
  };
  const skipWhitespace = () => {
    if (text2.charCodeAt(at) > 32) return;
    whitespace.lastIndex = at;
    whitespace.test(text2);
    at = whitespace.lastIndex;
  };
  const readString = () => {
    at++;
    let value = "";
    for (; ; ) {
      plainRun.lastIndex = at;
      plainRun.test(text2);
      value += text2.slice(at, plainRun.lastIndex);
      at = plainRun.lastIndex;
      const char = text2[at];
      if (char === '"') break;
      if (char !== "\\") fail("a closing quote or an escaped character");
      value += readEscape();
    }
    at++;
    if (!value.isWellFormed()) throw new JsonError("a string holds a lone surrogate, which is not well-formed Unicode");
    return value;
  };
  const readEscape = () => {
    at++;
    const char = text2[at] ?? "";
    if (char === "u") {
      const hex2 = text2.slice(at + 1, at + 5);
      if (!/^[0-9a-fA-F]{4}$/.test(hex2)) fail("\\u and four hexadecimal digits");
      at += 5;
      return String.fromCharCode(Number.parseInt(hex2, 16));
    }
    const meaning = escapes[char] ?? fail("a JSON escape");
    at++;
    return meaning;
  };
  const readNumber = () => {
    numberToken.lastIndex = at;
    const match = numberToken.exec(text2) ?? fail("a JSON value");
    at = numberToken.lastIndex;
    const [token, fraction2, exponent] = match;
    if (fraction2 === void 0 && exponent === void 0 && token.length <= 15) return normalizeInteger(Number(token));
    const exact = wholeNumber(token);
    if (exact !== void 0) return exact;
    const value = Number(token);
    if (!Number.isFinite(value)) throw new JsonError(`the number at position ${at - token.length} is too large`);
    if (Number.isSafeInteger(value)) throw new JsonError(`the number at position ${at - token.length} is too precise`);
    return value;
  };
  const enter = (close, depth) => {
    if (depth > maximumDepth) throw new JsonError(`the text is nested more than ${maximumDepth} levels deep`);
    at++;
    skipWhitespace();
    if (text2[at] !== close) return true;
    at++;
    return false;
  };
  const hasNext = (close) => {
    const char = text2[at];
    if (char !== "," && char !== close) fail(`"," or "${close}"`);
    at++;
    return char === ",";
  };
  const readArray = (depth) => {
    const array = [];
    if (enter("]", depth))
      do
        array.push(readValue(depth));
      while (hasNext("]"));
    return array;
  };
  const readName = () => {
    skipWhitespace();
    if (text2[at] !== '"') fail("a quoted name");
    const name = readString();
    skipWhitespace();
    if (text2[at] !== ":") fail('":"');
    at++;
    return name;
  };
  const readObject = (depth) => {
    const object = /* @__PURE__ */ Object.create(null);
    if (enter("}", depth))
      do {
        const name = readName();
        object[name] = readValue(depth);
      } while (hasNext("}"));
    return object;
  };
  const readWord = (word, value) => {
    if (!text2.startsWith(word, at)) fail("a JSON value");
    at += word.length;
    return value;
  };
  const readValue = (depth) => {
    skipWhitespace();
    const value = readBareValue(depth + 1);
    skipWhitespace();
    return value;
  };
  const readBareValue = (depth) => {
    const char = text2[at];
    if (char === '"') return readString();
    if (char === "{") return readObject(depth);
    if (char === "[") return readArray(depth);
    if (char === "t") return readWord("true", true);
    if (char === "f") return readWord("false", false);
    if (char === "n") return readWord("null", null);
    return readNumber();
  };
  const peek = () => {
    skipWhitespace();
    return text2[at];
  };
  const end = () => {
    if (at < text2.length) fail("the end");
  };
  return { peek, enter, hasNext, readName, readValue, end };
}
function wholeNumber(token) {
  const [mantissa = "", exponent = "0"] = token.toLowerCase().split("e");
  const [whole3 = "", fraction2 = ""] = mantissa.split(".");
  const digits = (whole3 + fraction2).replace(/^(-?)0+(?=[0-9])/, "$1").replace(/^-/, "");
  if (/^0*$/.test(digits)) return 0;
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  const significant = digits.slice(0, end);
  const zeros = digits.length - end + Number(exponent) - fraction2.length;
  if (zeros < 0 || significant.length + zeros > maximumDigits) return void 0;
  const magnitude2 = BigInt(significant + "0".repeat(zeros));
  return normalizeInteger(token.startsWith("-") ? -magnitude2 : magnitude2);
}
function stringifyJson(value) {
  if (typeof value === "bigint") return String(value);
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(stringifyJson).join(",")}]`;
  return `{${Object.keys(value).map((name) => `${JSON.stringify(name)}:${stringifyJson(value[name])}`).join(",")}}`;
}

// src/judge/same-pet.ts
function petIn(requestText) {
  try {
    const { name, categoryId, status: status2 = "available" } = parseJson(requestText);
    return [name, categoryId, status2].map(String).join("\n");
  } catch {
    return requestText;
  }
}

// src/judge/judged-request.ts
var JudgedRequest = class {
  #entry;
  #pet;
  /** Whether the lane had other requests on their way right before or after it. */
  isOverlapped = false;
  /**
   * @param areHeadersHidden whether the client is a page that sees neither Retry-After nor X-RateLimit-*
   * @param isKnown whether the simulator recorded the request, so that only it says what was refused
   */
  constructor(entry, place, areHeadersHidden, isKnown = false) {
    this.#entry = entry;
    this.queuedAtMs = entry.arrivedAtMs;
    this.lane = place.lane;
    this.fingerprint = place.fingerprint;
    this.requestText = place.requestText;
    this.isBan = entry.refusal === "ban";
    this.isByLimit = entry.refusal === "limit";
    this.isRefused = entry.refusal !== void 0 || entry.status === 429 || !isKnown && asksToWait(entry);
    this.isLimited = entry.isLimited;
    this.isUnreadable = entry.isUnreadable || entry.isLost === true;
    const { deadlineMs, retryAfterMs, resetMs } = areHeadersHidden ? noPromises : promisesOf(entry, this.isRefused);
    this.retryAfterMs = retryAfterMs;
    this.resetMs = resetMs;
    this.deadlineMs = deadlineMs;
    this.isOverlapped = false;
    this.lastRefusalRead = void 0;
    this.retryOf = void 0;
    this.retryOfOutage = void 0;
  }
  /** The pet that a write asks to store. Read when a rule first asks for it: to read JSON takes as long as all the rest. */
  get pet() {
    this.#pet ??= petIn(this.requestText);
    return this.#pet;
  }
  get id() {
    return this.#entry.id;
  }
  get arrivedAtMs() {
    return this.#entry.arrivedAtMs;
  }
  get answeredAtMs() {
    return this.#entry.answeredAtMs;
  }
  get finishedAtMs() {
    return this.#entry.finishedAtMs;
  }
  get isAbandoned() {
    return this.#entry.isAbandoned;
  }
  get lastArrivedId() {
    return this.#entry.lastArrivedId;
  }
  get heldMs() {
    return this.#entry.heldMs;
  }
  get token() {
    return this.#entry.token;
  }
  get operation() {
    return this.#entry.operation;
  }
  get isWrite() {
    return this.#entry.isWrite;
  }
  get method() {
    return this.#entry.method;
  }
  get baseUrl() {
    return this.#entry.baseUrl;
  }
  get path() {
    return this.#entry.path;
  }
  get query() {
    return this.#entry.query;
  }
  get status() {
    return this.#entry.status;
  }
  get requestBody() {
    return this.#entry.requestBody;
  }
  get responseBody() {
    return this.#entry.responseBody;
  }
  get headers() {
    return this.#entry.headers;
  }
  get connection() {
    return this.#entry.connection;
  }
  /** The first `User-Agent` of its client. */
  get client() {
    return this.lane.client;
  }
  get call() {
    return this.#entry.call;
  }
};
var KnownRequest = class extends JudgedRequest {
  constructor(entry, place, areHeadersHidden) {
    super(entry, place, areHeadersHidden, true);
    this.known = entry;
  }
};
var toleranceMs = 50;
var besideMs = 100;
var graceMs = 1e3;
var asksToWait = (entry) => entry.status >= 400 && entry.status < 500 && readRetryAfter(entry) !== void 0;

// src/judge/place.ts
var ByLane = class {
  #states = /* @__PURE__ */ new Map();
  #create;
  #lane;
  #state;
  constructor(create) {
    this.#create = create;
  }
  of(lane) {
    if (lane === this.#lane) return this.#state;
    let state = this.#states.get(lane);
    if (state === void 0) {
      state = this.#create();
      this.#states.set(lane, state);
    }
    this.#lane = lane;
    this.#state = state;
    return state;
  }
};

// src/judge/knowledge.ts
function markKnowledge(requests) {
  const lanes = new ByLane(() => new LaneKnowledge());
  for (const request of requests) {
    const lane = lanes.of(request.lane);
    request.lastRefusalRead = lane.lastRefusalRead(request);
    request.retryOf = lane.retryOf(request);
    if (request.isRefused) lane.add(request);
  }
}
function markOutages(requests) {
  const lanes = /* @__PURE__ */ new Map();
  for (const request of requests) {
    const { status: status2, isUnreadable, retryAfterMs } = request;
    let lane = lanes.get(request.lane);
    const isOutage = status2 === 503 && retryAfterMs !== void 0;
    if (lane === void 0) {
      if (!isOutage) continue;
      lane = new LaneKnowledge();
      lanes.set(request.lane, lane);
    }
    if (request.lane.isOneThread || request.call !== void 0) request.retryOfOutage = lane.retryOf(request);
    if (isOutage) lane.add(request);
    else if (status2 > 0 && status2 < 500 && !isUnreadable) lane.forget(request);
  }
}
var LaneKnowledge = class {
  #all = new Refusals();
  #byFingerprint = /* @__PURE__ */ new Map();
  #ofCalls = /* @__PURE__ */ new Map();
  add(refusal) {
    this.#all.add(refusal);
    refusalsUnder(this.#byFingerprint, refusal.fingerprint).add(refusal);
    if (refusal.call !== void 0) refusalsUnder(this.#ofCalls, refusal.call).add(refusal);
  }
  /** The call is served: its refusals say nothing of what follows. */
  forget({ fingerprint: fingerprint2 }) {
    this.#byFingerprint.delete(fingerprint2);
  }
  /** The last refusal of any call; of a call with another name only where the two are known to follow one another. */
  lastRefusalRead(request) {
    const ofCall = request.call === void 0 ? void 0 : this.#ofCalls.get(request.call)?.lastBefore(request);
    if (request.lane.isOneThread) {
      const mayBeBeside = request.connection === void 0 && request.call === void 0;
      if (!mayBeBeside) return later(ofCall, this.#all.lastBefore(request));
      const own = this.#byFingerprint.get(request.fingerprint)?.lastBefore(request);
      return later(own, this.#all.lastBefore(request, besideMs));
    }
    return later(ofCall, later(this.#all.lastOnConnection(request), this.#all.lastAged(request)));
  }
  /**
   * The refusal of the same call. Where equal calls wait side by side, nobody can tell which of them comes back; it is
   * taken for the one that had the least to wait, so that no call is blamed for the promise that another was given.
   */
  retryOf(request) {
    const same = this.#byFingerprint.get(request.fingerprint);
    if (request.lane.isOneThread || request.call !== void 0) return same?.lastBefore(request);
    return same?.takeLeastToWait(request);
  }
};
function refusalsUnder(map, name) {
  let refusals = map.get(name);
  if (refusals === void 0) {
    refusals = new Refusals();
    map.set(name, refusals);
  }
  return refusals;
}
function later(one, other) {
  if (one === void 0 || other === void 0) return one ?? other;
  return one.id > other.id ? one : other;
}
var Refusals = class {
  #list = [];
  /** Both made when they are needed: a client of one thread needs none. */
  #onConnection;
  #taken;
  /** How many at the front are older than the grace; those that wait for their next try, the least to wait first. */
  #aged = 0;
  #waiting = [];
  #firstWaiting = 0;
  add(refusal) {
    this.#list.push(refusal);
    if (refusal.lane.isOneThread || refusal.connection === void 0) return;
    this.#onConnection ??= /* @__PURE__ */ new Map();
    this.#onConnection.set(refusal.connection, refusal);
  }
  /** The last one that was answered before the request arrived, by so much. */
  lastBefore(request, byMs = 0) {
    const oldest = Math.max(0, this.#list.length - mostOnTheirWay);
    for (let at = this.#list.length - 1; at >= oldest; at--) {
      const refusal = this.#list[at];
      if (isAnswered2(refusal, request) && request.arrivedAtMs - refusal.answeredAtMs >= byMs) return refusal;
    }
    return this.lastAged(request);
  }
  /** The one that the connection of the request brought last, where nothing else of the client was on its way then. */
  lastOnConnection(request) {
    if (request.connection === void 0 || request.isOverlapped || request.lane.callers > 1) return void 0;
    const refusal = this.#onConnection?.get(request.connection);
    return refusal !== void 0 && isAnswered2(refusal, request) ? refusal : void 0;
  }
  /** The last one that is older than the grace. */
  lastAged(request) {
    this.#age(request);
    return this.#list[this.#aged - 1];
  }
  /** Of those that the client had read and that wait for their next try, the one with the earliest deadline. */
  takeLeastToWait(request) {
    this.#age(request);
    while (this.#isTaken(this.#waiting[this.#firstWaiting])) this.#firstWaiting++;
    const aged = this.#waiting[this.#firstWaiting];
    const own = this.lastOnConnection(request);
    const candidate = own === void 0 || this.#isTaken(own) ? void 0 : own;
    const least2 = aged !== void 0 && candidate !== void 0 ? [aged, candidate].sort((a, b) => deadlineOf(a) - deadlineOf(b))[0] : aged ?? candidate;
    if (least2 !== void 0) {
      this.#taken ??= /* @__PURE__ */ new Set();
      this.#taken.add(least2);
    }
    return least2;
  }
  #isTaken(refusal) {
    return refusal !== void 0 && this.#taken?.has(refusal) === true;
  }
  #age({ queuedAtMs }) {
    for (; this.#aged < this.#list.length; this.#aged++) {
      const refusal = this.#list[this.#aged];
      if (refusal.answeredAtMs >= queuedAtMs - graceMs) return;
      if (!this.#isTaken(refusal)) this.#insert(refusal);
    }
  }
  #insert(refusal) {
    let at = this.#waiting.length;
    while (at > this.#firstWaiting && deadlineOf(this.#waiting[at - 1]) > deadlineOf(refusal)) at--;
    this.#waiting.splice(at, 0, refusal);
  }
};
var mostOnTheirWay = 256;
var isAnswered2 = (refusal, request) => request.id > refusal.lastArrivedId && request.arrivedAtMs >= refusal.answeredAtMs;
var deadlineOf = ({ deadlineMs }) => deadlineMs ?? Number.NEGATIVE_INFINITY;

// src/values/json-bytes.ts
var decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
var lossyDecoder = new TextDecoder();
var encoder = new TextEncoder();
function toJsonBytes(bytes) {
  try {
    return decoder.decode(bytes);
  } catch {
    let text2 = "";
    for (const byte of bytes) text2 += String.fromCharCode(byte);
    return { base64: btoa(text2) };
  }
}
var fromJsonBytes = (bytes) => typeof bytes === "string" ? encoder.encode(bytes) : Uint8Array.from(atob(bytes.base64), (char) => char.charCodeAt(0));
var textOfBytes = (bytes) => typeof bytes === "string" ? bytes : lossyDecoder.decode(fromJsonBytes(bytes));
function cutBytes(bytes, most) {
  if (typeof bytes === "string" && bytes.length * 3 <= most) return bytes;
  const all = fromJsonBytes(bytes);
  if (all.length <= most) return bytes;
  return typeof bytes === "string" ? lossyDecoder.decode(all.subarray(0, most)) : toJsonBytes(all.subarray(0, most));
}

// src/judge/fingerprints.ts
var Fingerprints = class {
  #count = 0;
  /** By key and method, which mostly are those of the request before: longer texts take longer to look up. */
  #kinds = /* @__PURE__ */ new Map();
  #token;
  #method;
  #kind = /* @__PURE__ */ new Map();
  /**
   * @param client the name of the client
   * @param requestText the body of the request
   */
  of(request, client, requestText) {
    const { token, method } = request;
    if (token !== this.#token || method !== this.#method) this.#turnTo(token, method);
    const text2 = request.call === void 0 ? sentIn(request, requestText) : `
${client}
${request.call}`;
    let number2 = this.#kind.get(text2);
    if (number2 === void 0) {
      number2 = this.#count++;
      this.#kind.set(text2, number2);
    }
    return number2;
  }
  #turnTo(token, method) {
    this.#token = token;
    this.#method = method;
    const name = `${method} ${token}`;
    let kind2 = this.#kinds.get(name);
    if (kind2 === void 0) {
      kind2 = /* @__PURE__ */ new Map();
      this.#kinds.set(name, kind2);
    }
    this.#kind = kind2;
  }
};
function sentIn({ path, query }, requestText) {
  const target2 = query === "" ? path : `${path}?${query}`;
  return requestText === "" ? target2 : `${target2}
${requestText}`;
}

// src/judge/lanes.ts
var correctionMs = 1e3;
var entriesOfStep = 500;
function* placeInLanes(entries, callers2, toRequest) {
  const places = new Places(callers2);
  const requests = [];
  for (let at = 0; at < entries.length; at += entriesOfStep) {
    for (const entry of entries.slice(at, at + entriesOfStep)) requests.push(toRequest(entry, places.of(entry)));
    yield;
  }
  markOverlaps(
    requests,
    entries.some(({ heldMs }) => heldMs > 0)
  );
  if (callers2 > 1) markQueues(requests);
  return requests;
}
var Places = class {
  #callers;
  #fingerprints = new Fingerprints();
  #lanes = /* @__PURE__ */ new Map();
  #series = /* @__PURE__ */ new Map();
  #era = 0;
  #lastMs = Number.NEGATIVE_INFINITY;
  #last;
  constructor(callers2) {
    this.#callers = callers2;
  }
  of(entry) {
    const { arrivedAtMs, requestBody } = entry;
    if (arrivedAtMs < this.#lastMs - correctionMs) this.#era++;
    this.#lastMs = arrivedAtMs;
    const requestText = requestBody === void 0 ? "" : textOfBytes(requestBody);
    const lane = this.#laneOf(entry);
    return { lane, fingerprint: this.#fingerprints.of(entry, lane.client, requestText), requestText };
  }
  #laneOf({ token, client, connection }) {
    const era = this.#era;
    const last = this.#last;
    if (last !== void 0 && last.lane.token === token && last.lane.era === era && last.client === client && last.connection === connection)
      return last.lane;
    const key = `${era} ${token}`;
    const series = this.#series.get(key) ?? this.#series.size;
    this.#series.set(key, series);
    const byClient = `${key} ${client}`;
    const byConnection = connection === void 0 ? byClient : `${key}
${connection}`;
    const lane = this.#lanes.get(byConnection) ?? this.#lanes.get(byClient) ?? {
      ...{ token, era, series, client, callers: this.#callers },
      isOneThread: this.#callers === 1
    };
    this.#lanes.set(byConnection, lane);
    if (!this.#lanes.has(byClient)) this.#lanes.set(byClient, lane);
    this.#last = { lane, client, connection };
    return lane;
  }
};
function markQueues(requests) {
  const queues = /* @__PURE__ */ new Map();
  for (const request of requests) {
    const { lane, arrivedAtMs } = request;
    const queue = queues.get(lane);
    const last = queue?.at(-1);
    if (queue === void 0 || last === void 0 || arrivedAtMs - last.answeredAtMs > graceMs) {
      queues.set(lane, [request]);
      continue;
    }
    queue.push(request);
    const cameBack = queue[queue.length - 1 - lane.callers];
    request.queuedAtMs = cameBack === void 0 ? queue[0].arrivedAtMs : cameBack.answeredAtMs;
  }
}
function markOverlaps(requests, isHeld) {
  const lanes = new ByLane(() => ({ open: void 0, recent: [], isOneConnection: true }));
  for (const request of requests) {
    const traffic = lanes.of(request.lane);
    const { open: open3 } = traffic;
    const isBeside = open3 !== void 0 && (open3.lastArrivedId >= request.id || open3.answeredAtMs > request.arrivedAtMs);
    if (isBeside) overlap(open3, request);
    if (!isHeld) markNeighbours(request, traffic);
    const isWaitedFor2 = request.status !== 0;
    if (isWaitedFor2 && (open3 === void 0 || request.lastArrivedId > open3.lastArrivedId)) traffic.open = request;
  }
}
function markNeighbours(request, traffic) {
  const { recent } = traffic;
  traffic.isOneConnection &&= recent.length === 0 || recent.at(-1)?.connection === request.connection;
  const near = request.arrivedAtMs - besideMs;
  const oldest = traffic.isOneConnection ? recent.length : Math.max(0, recent.length - mostBeside);
  for (let at = recent.length - 1; at >= oldest; at--) {
    const beside = recent[at];
    if (beside.answeredAtMs < near) break;
    if (beside.connection !== request.connection) overlap(beside, request);
  }
  recent.push(request);
}
var mostBeside = 8;
function overlap(one, other) {
  one.isOverlapped = true;
  other.isOverlapped = true;
  one.lane.isOneThread = false;
}

// src/judge/run.ts
var readRequests = (entries, reading = {}) => inOneGo(readInSteps(entries, reading));
var readInSteps = (entries, reading = {}) => read(entries, reading, KnownRequest);
function* read(entries, { callers: callers2 = 1, areHeadersHidden = false }, Kind) {
  const requests = yield* placeInLanes(entries, callers2, (entry, place) => new Kind(entry, place, areHeadersHidden));
  const ofKeys = groupByNumber(requests, ({ lane }) => lane.series);
  yield;
  const episodes = ofKeys.flatMap((same) => episodesOf(same));
  yield;
  for (const episode of episodes) markKnowledge(episode.requests);
  yield;
  markOutages(requests);
  yield;
  const calls = groupByNumber(requests, ({ fingerprint: fingerprint2 }) => fingerprint2);
  return { requests, episodes, calls };
}
var isWrite = (request) => request.isWrite;
var asksForWrites = ({ requests, needs }) => needs?.operation !== void 0 && requests.some((each) => each.isWrite && each.operation === needs.operation);
var writesOf = ({ calls }) => calls.filter(([first]) => first !== void 0 && isWrite(first));
var earlyMs = (told, request) => told.deadlineMs === void 0 ? void 0 : told.deadlineMs - request.arrivedAtMs;
function episodesOf(requests) {
  const episodes = [];
  let current = [];
  let hasLimit = false;
  const close = (refusals) => {
    if (current.length === 0) return;
    episodes.push({ requests: current, refusals });
    current = [];
    hasLimit = false;
  };
  for (const request of requests) {
    if (request.isRefused) {
      current.push(request);
      hasLimit ||= request.isByLimit;
    } else if (current.length > 0 && isAdmitted(request, hasLimit)) {
      const refusals = [...current];
      current.push(request);
      close(refusals);
    }
  }
  close(current);
  return episodes;
}
var isAdmitted = ({ status: status2, isLimited: isLimited2 }, hasLimit) => status2 !== 401 && (isLimited2 || !hasLimit);

// src/scenario/default-scenario.ts
var pets = `Rex 1 available
Milo 2 available
Luna 2 pending
Bella 1 sold
Charlie 1 available
Daisy 4 available
Rocky 1 pending
Zo\xEB 2 available
Coco 3 available
Oscar 2 sold
Nala 2 available
Bruno 1 available
Kiwi 3 pending
Shadow 2 available
Ruby 1 available
Hazel 4 available
Otto 1 sold
Smilla 2 available
P\xE9pin 4 pending
Ziggy 5 available
Maple 4 available
Simba 2 sold
Ginger 2 available
Skipper 3 available
\xC5se 2 pending
Biscuit 1 available
Clover 4 sold
Juno 1 available
\u5C0F\u6885 2 available
Pixel 5 pending
Freya 1 available
Rio 3 available
Poppy 4 pending
Tango 3 sold
Willow 2 available
Koda 1 available
Mocha 4 pending
Sunny 3 available
Spike 5 sold
Olive 2 available`;
var defaultScenario = deepFreeze({
  name: "default",
  description: "Forty pets over the three statuses, one key for each plan and a revoked one. Limits and bans as documented, the clock is the machine\u2019s own.",
  categories: [1, 2, 3, 4, 5],
  keys: { "free-key": { "plan": "free" }, "pro-key": { "plan": "pro" }, "business-key": { "plan": "business" }, "enterprise-key": { "plan": "enterprise" }, "revoked-key": { "plan": "free", "state": "revoked" } },
  pets: pets.split("\n").map((pet, index) => {
    const [name = "", categoryId, status2] = pet.split(" ");
    return { id: index + 1, name, categoryId: Number(categoryId), status: status2 };
  })
});

// src/values/mask-key.ts
var maskedKey = (key) => `\u2026${key.slice(Math.max(key.length - 4, Math.ceil(key.length / 3)))}`;
function fnv1a(input) {
  const [high, low] = fnv1aWords(input);
  return hex(high) + hex(low);
}
function fnv1aWords(input) {
  let high = 3421674724 | 0;
  let low = 2216829733 | 0;
  for (let at = 0; at < input.length; at++) {
    low ^= typeof input === "string" ? input.charCodeAt(at) : input[at];
    const lower = (low & 65535) * 435;
    const upper = (low >>> 16) * 435 + (lower >>> 16);
    high = Math.imul(high, 435) + (upper >>> 16) + (low << 8) | 0;
    low = upper << 16 | lower & 65535;
  }
  return [high, low];
}
var hex = (word) => (word >>> 0).toString(16).padStart(8, "0");
var keyId = (key) => `key_${fnv1a(key)}`;
function keyHash(key) {
  const [high, low] = fnv1aWords(key);
  return safeInteger(high, low);
}
function hashOfKeyId(id) {
  const [, high, low] = /^key_([0-9a-f]{8})([0-9a-f]{8})$/.exec(id) ?? [];
  return high === void 0 ? void 0 : safeInteger(Number(`0x${high}`), Number(`0x${low}`));
}
var safeInteger = (high, low) => (high & 2097151) * 2 ** 32 + (low >>> 0);

// src/judge/report/key-names.ts
function keyNames(tokens) {
  const names = /* @__PURE__ */ new Map();
  const taken = /* @__PURE__ */ new Map();
  for (const token of tokens) {
    if (names.has(token)) continue;
    const name = token === void 0 ? "no key" : isPublic(token) ? token : maskedKey(token);
    const number2 = (taken.get(name) ?? 0) + 1;
    taken.set(name, number2);
    names.set(token, number2 === 1 ? name : `${name} (${number2})`);
  }
  return names;
}
var isPublic = (token) => Object.hasOwn(defaultScenario.keys, token);

// src/judge/report/timeline.ts
var mostRows = 20;
var openShare = 0.1;
function timelineOf(entries) {
  const { requests } = readRequests(entries);
  const names = keyNames(requests.map(({ token }) => token));
  const startMs2 = Math.min(...requests.map(({ arrivedAtMs }) => arrivedAtMs));
  const lastMs = Math.max(...requests.map(({ arrivedAtMs }) => arrivedAtMs));
  if (requests.length === 0) return { startMs: 0, lastMs: 0, endMs: 0, rows: [] };
  const rows = [...names].slice(0, mostRows).map(([token, name]) => {
    const own = requests.filter((request) => request.token === token);
    const bans = merged(own.flatMap(banOf));
    return {
      name,
      plan: own.find(({ known: known2 }) => known2.plan !== void 0)?.known.plan,
      marks: own.map(markOf),
      waits: merged(own.flatMap(waitOf)).map((wait2) => endedBy(bans, wait2)),
      bans
    };
  });
  const ends = rows.flatMap(({ waits, bans }) => [...waits, ...bans]).map(({ toMs }) => toMs);
  const openMs = Math.max((lastMs - startMs2) * openShare, 1e3);
  return { startMs: startMs2, lastMs, endMs: Math.max(lastMs, Math.min(Math.max(...ends), lastMs + openMs)), rows };
}
function markOf(request) {
  const { id, arrivedAtMs, method, path, query, status: status2 } = request;
  const target2 = `${method} ${path}${query && `?${query}`}`;
  const clipped = target2.length > 80 ? `${target2.slice(0, 80)}\u2026` : target2;
  const title = `${clipped} \xB7 ${status2 === 0 ? "the client left" : status2}`;
  return { kind: requestKind(request, request.known.isStrike), atMs: arrivedAtMs, request: id, title };
}
var waitOf = ({ answeredAtMs, deadlineMs, isBan }) => deadlineMs === void 0 || isBan ? [] : [{ fromMs: answeredAtMs, toMs: deadlineMs, hasDeadline: true }];
var banOf = ({ answeredAtMs, isBan, known: known2 }) => isBan && known2.promisedAtMs !== void 0 ? [{ fromMs: answeredAtMs, toMs: known2.promisedAtMs, hasDeadline: true }] : [];
function endedBy(bans, wait2) {
  const ban2 = bans.find(({ fromMs }) => fromMs >= wait2.fromMs && fromMs < wait2.toMs);
  return ban2 === void 0 ? wait2 : { ...wait2, toMs: ban2.fromMs, hasDeadline: false };
}
function merged(spans) {
  const all = [];
  for (const span2 of [...spans].sort((a, b) => a.fromMs - b.fromMs)) {
    const last = all.at(-1);
    if (span2.toMs <= span2.fromMs) continue;
    if (last === void 0 || span2.fromMs >= last.toMs) all.push({ ...span2 });
    else last.toMs = Math.max(last.toMs, span2.toMs);
  }
  return all;
}

// src/judge/report/terminal.ts
var verdictColours = { pass: "green", fail: "red", inconclusive: "yellow" };
var severityColours = { fail: "red", warn: "yellow", info: "cyan", praise: "green" };
function terminalReport(entries, verdict, { columns = 100, style = (_, text2) => text2 } = {}) {
  const width = Math.max(60, columns);
  const timeline = timelineOf(entries);
  const { failures = [], about = "", headline = verdict.outcome.toUpperCase() } = verdict;
  const title = style("bold", style(verdictColours[failures.length > 0 ? "fail" : verdict.outcome], headline));
  const head = [
    `${title}  ${style("bold", harmless(verdict.scenario).slice(0, Math.max(16, width - headline.length - 4)))}`,
    ...wrap(harmless(verdict.reason), width, 2),
    ...wrap(countsLine(verdict), width, 2).map((line) => style("dim", line)),
    ...failures.flatMap(({ text: text2 }) => wrap(text2, width, 2).map((line) => style("red", line)))
  ];
  const picture = timeline.rows.length === 0 ? [] : ["", ...drawTimeline(timeline, width - 2, style)];
  const findings = fewFindings(verdict.findings).flatMap(({ finding: finding2, hidden }) => {
    const { code, severity, text: text2, measured, allowed } = finding2;
    const label = style("bold", style(severityColours[severity], severity.toUpperCase().padEnd(6)));
    const when2 = `${since(finding2, timeline.startMs)}, ${requestsOf(finding2)}`;
    const isShort = 8 + code.length + 2 + when2.length <= width;
    const more2 = `${isShort ? "" : `${when2}; `}${measured}; allowed: ${allowed}`;
    return [
      "",
      `${label}  ${style("bold", code)}${isShort ? `  ${style("dim", when2)}` : ""}`,
      ...wrap(harmless(text2), width, 8),
      ...wrap(harmless(more2), width, 8).map((line) => style("dim", line)),
      ...hidden.length === 0 ? [] : ["", ...wrap(`${hiddenLine(hidden, timeline.startMs)}.`, width, 8)]
    ];
  });
  const missing = untested(verdict);
  const silent = missing.length === 0 || missing.length === findingCodes.length ? [] : ["", ...wrap(`Not put to the test: ${missing.join(", ")}.`, width, 0)];
  const more = [...silent, ...about === "" ? [] : ["", ...wrap(harmless(about.trim()), width, 0)]];
  return [...head, ...picture, ...findings, ...more.map((line) => style("dim", line)), ""].join("\n");
}
function wrap(text2, width, indent) {
  const lines = [];
  let line = "";
  for (const word of text2.split(" ")) {
    for (let rest = word; ; rest = rest.slice(width - indent)) {
      const longer = line === "" ? rest : `${line} ${rest}`;
      if (longer.length <= width - indent) {
        line = longer;
        break;
      }
      if (line !== "") lines.push(line);
      line = rest.slice(0, width - indent);
      if (rest.length <= width - indent) break;
    }
  }
  if (line !== "") lines.push(line);
  return lines.map((each) => " ".repeat(indent) + each);
}

// src/scenario/client.ts
function clientOf({ client = {}, keys = {} }) {
  const { key = Object.keys(keys)[0] ?? "free-key", operation = "listPets", calls = 1, parallel = 1 } = client;
  return { key, operation, calls, parallel };
}

// src/values/fingerprint.ts
function fingerprint(text2) {
  let low = 2166136261;
  let high = 2646966556;
  for (let at = 0; at < text2.length; at++) {
    const unit = text2.charCodeAt(at);
    low = Math.imul(low ^ unit, 16777619);
    high = Math.imul(high ^ unit, 1540483477);
    high ^= high >>> 15;
  }
  const hex2 = (bits) => (bits >>> 0).toString(16).padStart(8, "0");
  return hex2(low) + hex2(high);
}

// src/values/seeded-random.ts
function seededFraction(seed, value) {
  const isNumber = typeof value === "number";
  const low = isNumber ? value >>> 0 : Number(BigInt.asUintN(32, value));
  const high = isNumber ? Math.floor(value / 2 ** 32) >>> 0 : Number(BigInt.asUintN(32, value >> 32n));
  return mix(mix(mix(seed >>> 0) ^ low) ^ high) / 2 ** 32;
}
function seedFor(name, seed) {
  let hash = seed >>> 0;
  for (let at = 0; at < name.length; at++) hash = mix(hash ^ name.charCodeAt(at));
  return hash;
}
function mix(bits) {
  let mixed = bits + 2654435769 >>> 0;
  mixed = Math.imul(mixed ^ mixed >>> 16, 2246822507);
  mixed = Math.imul(mixed ^ mixed >>> 13, 3266489909);
  return (mixed ^ mixed >>> 16) >>> 0;
}

// src/faults/fault-rules.ts
var maximumFailedCalls = 1e4;
var FaultRules = class {
  #scenarioRules = [];
  #start;
  #seed = 0;
  #rules = [];
  #counts = /* @__PURE__ */ new Map();
  #startMs = 0;
  /**
   * Sets other rules and a seed. They apply from the next `reset` or `restore` on.
   * @param start what they have done already. Default: nothing, and time counts from now
   */
  configure(rules2, seed, start) {
    this.#scenarioRules = rules2;
    this.#start = start;
    this.#seed = seed;
  }
  get size() {
    return this.#rules.length;
  }
  /** A name for a rule that has none. */
  freeName() {
    return freeFaultName(new Set(this.#rules.map(({ name }) => name)), this.#rules.length + 1);
  }
  /** Each rule with how many requests met its conditions and to how many it applied. */
  list() {
    return this.#rules.map((rule) => {
      const { seen = 0, applied = 0 } = this.#counts.get(rule.name) ?? {};
      return { rule, seen, applied };
    });
  }
  /** Adds a rule behind the others. @throws {RangeError} when a name is taken */
  add(rule) {
    if (this.#rules.some(({ name }) => name === rule.name)) {
      throw new RangeError(`Failed to add a fault rule: expected a free name, got "${rule.name}", which is taken`);
    }
    this.#rules.push(rule);
  }
  /** Removes a rule; `false` when there is none with this name. */
  remove(name) {
    const position = this.#rules.findIndex((rule) => rule.name === name);
    if (position < 0) return false;
    this.#rules.splice(position, 1);
    this.#counts.delete(name);
    return true;
  }
  /** Finds the first rule that applies. Rules behind it do not see the request. */
  match(request, nowMs) {
    const elapsedMs = nowMs - this.#startMs;
    const passed2 = [];
    const countSeen = () => {
      for (const each of passed2) each.seen++;
    };
    for (const rule of this.#rules) {
      if (!meets(rule.when, request, elapsedMs)) continue;
      const counts = this.#countsOf(rule);
      passed2.push(counts);
      const seed = seedFor(rule.name, this.#seed);
      const call = rule.failTimes === void 0 ? "" : fingerprint(request.callText());
      if (!applies(rule, counts, seed, call)) continue;
      return {
        rule,
        delayMs: drawDelay(rule.delayMs, seedFor("delay", seed), counts.applied),
        commit: () => {
          countSeen();
          counts.applied++;
          if (rule.failTimes !== void 0) countFailure(counts.failed, call);
        }
      };
    }
    return { rule: void 0, delayMs: 0, commit: countSeen };
  }
  /** Goes back to the rules of the scenario as they were at its start. */
  reset(nowMs) {
    this.#rules = [...this.#scenarioRules];
    this.#counts = new Map(structuredClone(this.#start?.counts));
    this.#startMs = this.#start?.startMs ?? nowMs;
  }
  state() {
    return { rules: [...this.#rules], counts: structuredClone([...this.#counts]), startMs: this.#startMs };
  }
  restore({ rules: rules2, counts, startMs: startMs2 }) {
    this.#rules = [...rules2];
    this.#counts = new Map(structuredClone(counts));
    this.#startMs = startMs2;
  }
  #countsOf({ name }) {
    let counts = this.#counts.get(name);
    if (counts === void 0) {
      counts = { seen: 0, applied: 0, failed: /* @__PURE__ */ new Map() };
      this.#counts.set(name, counts);
    }
    return counts;
  }
};
function applies({ when: when2, failTimes }, { seen, applied, failed }, seed, call) {
  const number2 = seen + 1;
  if (when2.nth !== void 0 && number2 !== when2.nth) return false;
  if (when2.every !== void 0 && number2 % when2.every !== 0) return false;
  if (when2.first !== void 0 && number2 > when2.first) return false;
  if (when2.times !== void 0 && applied >= when2.times) return false;
  if (when2.probability !== void 0 && seededFraction(seed, number2) >= when2.probability) return false;
  return failTimes === void 0 || (failed.get(call) ?? 0) < failTimes;
}
function meets(when2, request, elapsedMs) {
  return (when2.operation === void 0 || when2.operation.includes(request.operation)) && (when2.method === void 0 || when2.method === request.method) && (when2.key === void 0 || when2.key.includes(request.key)) && (when2.plan === void 0 || when2.plan === request.plan) && (when2.status === void 0 || when2.status === request.values.status) && (when2.petId === void 0 || when2.petId === request.values.petId) && // A clock that was set back to before the start is before every `after`, and within no `for` that has one.
  (when2.after === void 0 || elapsedMs >= when2.after) && (when2.for === void 0 || elapsedMs < (when2.after ?? 0) + when2.for);
}
function freeFaultName(taken, number2) {
  const name = `fault-${number2}`;
  return taken.has(name) ? freeFaultName(taken, number2 + 1) : name;
}
function countFailure(failed, call) {
  failed.set(call, (failed.get(call) ?? 0) + 1);
  if (failed.size <= maximumFailedCalls) return;
  const [oldest] = failed.keys();
  failed.delete(oldest);
}
var deviationsOfP99 = 2.326;
function drawDelay(delay2, seed, number2) {
  if (delay2 === void 0) return 0;
  if ("fixed" in delay2) return delay2.fixed;
  const radius = Math.sqrt(-2 * Math.log(1 - seededFraction(seed, 2 * number2)));
  const deviations = radius * Math.cos(2 * Math.PI * seededFraction(seed, 2 * number2 + 1));
  return delay2.p50 * (delay2.p99 / delay2.p50) ** (deviations / deviationsOfP99);
}

// src/petstore/pet.ts
function toStored({ id, name, categoryId, status: status2, extra }) {
  const hasExtra = extra !== void 0 && Object.keys(extra).length > 0;
  const statusField = status2 === void 0 ? "" : `,"status":"${status2}"`;
  const json = [
    `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${statusField}`,
    hasExtra ? `,${stringifyJson(extra).slice(1)}` : "}"
    // Joined, because V8 keeps the result of a template as a tree of its parts: 200 bytes more for every pet.
  ].join("");
  return { id, name, categoryId, status: status2, extra, json };
}

// src/rate-limits/plan-limits.ts
var windowSeconds = { minute: 60, day: 86400 };

// src/values/duration.ts
var unitMs = { ms: 1, s: 1e3, m: 6e4, h: 36e5, d: 864e5 };
var durationText = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;
var longestDays = 3650;
var longestMs = longestDays * 864e5;
function parseDuration(duration2, maximumMs = longestMs) {
  const [, amount = "", unit = ""] = typeof duration2 === "string" ? durationText.exec(duration2) ?? [] : [];
  const ms = typeof duration2 === "number" ? duration2 : Number(amount || Number.NaN) * (unitMs[unit] ?? Number.NaN);
  if (ms >= 0 && ms <= maximumMs) return ms;
  if (ms > maximumMs && Number.isFinite(ms)) {
    throw new RangeError(`expected a duration of at most ${longestDays}d, got ${JSON.stringify(duration2)}`);
  }
  throw new RangeError(
    `expected a duration such as "500ms", "2s", "5m" or "1d", got ${typeof duration2 === "number" ? duration2 : JSON.stringify(duration2)}`
  );
}

// src/values/instant.ts
var latestMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
var isoInstant = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;
function parseInstant(instant2) {
  const ms = typeof instant2 === "string" ? parseText(instant2) : new Date(instant2).getTime();
  if (typeof instant2 === "number" && ms >= 1e9 && ms < 1e10) {
    throw new RangeError(`expected Unix milliseconds, got ${instant2}, which are seconds: write ${instant2}000`);
  }
  if (ms >= 0 && ms <= latestMs) return ms;
  if (Number.isFinite(ms)) {
    throw new RangeError(`expected an instant of the years 1970 to 9999, got ${JSON.stringify(instant2)}`);
  }
  throw new RangeError(`expected an instant such as "2030-12-05T00:00:00Z", got ${JSON.stringify(instant2)}`);
}
function parseText(text2) {
  const [, year, month, day, hour] = isoInstant.exec(text2) ?? [];
  if (day === void 0 || hour === "24") return Number.NaN;
  const isInMonth = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  if (!isInMonth) throw new RangeError(`expected a day that the month has, got ${JSON.stringify(text2)}`);
  return new Date(text2).getTime();
}

// src/validation/value-schemas.ts
var textOrNumber = { ...either(string, number), labels: ['a duration such as "90s"'] };
var duration = transform(textOrNumber, parseDuration);
var signedDuration = transform(textOrNumber, (value) => {
  const minus = /^-(?=\d)/;
  if (!minus.test(String(value))) return parseDuration(value);
  return -parseDuration(typeof value === "number" ? -value : value.replace(minus, ""));
});
var date = kind("a date", (value) => value instanceof Date);
var instant = transform(either(string, number, date), parseInstant);
var wholeSeconds = transform(textOrNumber, (value) => {
  const ms = parseDuration(value);
  if (ms >= 1e3 && ms % 1e3 === 0) return ms / 1e3;
  const isBare = typeof value === "number" && Number.isInteger(value) && value > 0;
  const hint = isBare ? `, which is ${value} ms; did you mean "${value}s"?` : "";
  throw new RangeError(`expected whole seconds, at least "1s", got ${shown(value)}${hint}`);
});
var int64 = transform(
  kind(
    "a whole number within int64 (beyond 2^53-1 a bigint, or text)",
    (value) => isInt64(typeof value === "string" ? parseInt64(value) : value)
  ),
  (value) => typeof value === "string" ? parseInt64(value) : normalizeInteger(value)
);
var whole = (minimum, maximum = Number.MAX_SAFE_INTEGER, expected = `a whole number from ${minimum}${maximum < Number.MAX_SAFE_INTEGER ? ` to ${maximum}` : ""}`) => refine(number, (value) => Number.isInteger(value) && value >= minimum && value <= maximum, expected, {
  type: "integer",
  minimum,
  ...maximum < Number.MAX_SAFE_INTEGER && { maximum }
});
var count = whole(0);
var between = (minimum, maximum) => refine(number, (value) => value >= minimum && value <= maximum, `a number from ${minimum} to ${maximum}`, {
  minimum,
  maximum
});
var positive = refine(number, (value) => Number.isFinite(value) && value > 0, "a number above 0", {
  exclusiveMinimum: 0
});
var text = refine(string, (value) => value.isWellFormed(), "well-formed Unicode");
var matching = (pattern, expected) => refine(string, (value) => pattern.test(value), expected, { pattern: pattern.source });
function isJson(value, depth = 0) {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value === "object" && value !== null) {
    return depth < 100 && Object.values(value).every((part) => isJson(part, depth + 1));
  }
  return value === null || ["string", "boolean", "bigint"].includes(typeof value);
}

// src/scenario/ban-schema.ts
var tenYearsSeconds = 3650 * 86400;
var seconds = whole(1, tenYearsSeconds);
var milliseconds = whole(0, tenYearsSeconds * 1e3);
var factor = refine(number, (value) => Number.isFinite(value) && value >= 1, "a number from 1", { minimum: 1 });
var banValues = {
  banAfter: count,
  banGraceMs: milliseconds,
  banToleranceMs: milliseconds,
  banSeconds: seconds,
  banEscalation: either(oneOf(false), fields({ factor, maxSeconds: seconds }))
};
var earlierNames = {
  graceMs: { name: "grace", unit: "ms", value: milliseconds },
  toleranceMs: { name: "tolerance", unit: "ms", value: milliseconds },
  seconds: { name: "for", unit: "s", value: seconds },
  maxSeconds: { name: "max", unit: "s", value: seconds }
};
function earlier(name, value) {
  const labels = [`a number, or a duration under the name "${name}"`];
  const json = { ...value.json, deprecated: true };
  return optional({ ...refine(value, () => false, `one of two names, here and ${name}`), labels, json });
}
var banFields = {
  after: optional(count),
  for: optional(wholeSeconds),
  grace: optional(duration),
  tolerance: optional(duration),
  escalation: optional(
    either(
      oneOf(false),
      refine(
        fields({ factor, max: optional(wholeSeconds), maxSeconds: earlier("max", seconds) }),
        ({ max }) => max !== void 0,
        'max, the longest ban, such as "1h"',
        { anyOf: [{ required: ["max"] }, { required: ["maxSeconds"] }] }
      )
    )
  ),
  seconds: earlier("for", seconds),
  graceMs: earlier("grace", milliseconds),
  toleranceMs: earlier("tolerance", milliseconds)
};
function withPresentNames(scenario) {
  if (!isMap(scenario) || !isMap(scenario.ban)) return scenario;
  const ban2 = renamed(scenario.ban);
  return { ...scenario, ban: isMap(ban2.escalation) ? { ...ban2, escalation: renamed(ban2.escalation) } : ban2 };
}
function renamed(map) {
  const given = Object.entries(map).filter(([, value]) => value !== void 0);
  const entries = given.map(([before, value]) => {
    const now = Object.hasOwn(earlierNames, before) ? earlierNames[before] : void 0;
    if (now === void 0 || map[now.name] !== void 0) return [before, value];
    const issues = [];
    check(now.value, value, issues);
    return issues.length > 0 ? [before, value] : [now.name, `${value}${now.unit}`];
  });
  return Object.fromEntries(entries);
}

// src/petstore/document.ts
var basePath = "/v1";
var petStatuses = ["available", "pending", "sold"];
var listLimit = { minimum: 1, maximum: 100, default: 20 };
var operationNames = ["listPets", "createPet", "getPet"];
var documentedPlans = {
  free: { minute: 60, day: 1e3 },
  pro: { minute: 300, day: 1e4 },
  business: { minute: 1e3, day: 1e5 }
};
var getPetRemovedAtMs = Date.UTC(2030, 11, 5);

// src/requests/api-error.ts
var maximumBodyBytes = 64 * 1024;
var ApiError = class {
  constructor(status2, code, message, headers = {}, assumption) {
    this.status = status2;
    this.code = code;
    this.message = message;
    this.headers = headers;
    this.assumption = assumption;
  }
  status;
  code;
  message;
  headers;
  assumption;
};
var invalidRequest = (message, assumption) => new ApiError(400, "invalid_request", message, {}, assumption);
var unauthorized = (message, tokenSent) => new ApiError(401, "unauthorized", message, challenge(tokenSent));
var keyBanned = (status2, message) => new ApiError(status2, "key_banned", message, status2 === 401 ? challenge(true) : {});
var challenge = (tokenSent) => ({
  "WWW-Authenticate": `Bearer realm="petstore"${tokenSent ? ', error="invalid_token"' : ""}`
});
var notFound = (message, assumption) => new ApiError(404, "not_found", message, {}, assumption);
var methodNotAllowed = (method, allowed) => new ApiError(
  405,
  "method_not_allowed",
  `Method ${method} is not supported here; use ${allowed.join(" or ")}.`,
  { Allow: allowed.join(", ") },
  "unknownMethod"
);
var gone = (message, assumption) => new ApiError(410, "gone", message, {}, assumption);
var payloadTooLarge = (maximumBytes) => new ApiError(413, "payload_too_large", `The body is larger than ${maximumBytes} bytes.`, {}, "bodyTooLarge");
var unsupportedMediaType = (message, assumption) => new ApiError(415, "unsupported_media_type", message, {}, assumption);
function errorBody(error) {
  return JSON.stringify({ code: error.code, message: error.message, status: error.status });
}

// src/requests/outcome.ts
var isWithoutAnswer = ({ kind: kind2 }) => kind2 === "reset" || kind2 === "close" || kind2 === "hang";
var emptyOutcome = { status: 200, body: "" };
function errorOutcome({ status: status2, code, message, headers, assumption }, { errorCodes: errorCodes2 }) {
  return { status: status2, body: errorBody({ code: errorCodes2[code] ?? code, message, status: status2 }), headers, assumption };
}
var statusesWithoutBody = [204, 205, 304];

// src/scenario/fault-schema.ts
var fromOne = whole(1);
var fraction = between(0, 1);
var yes = oneOf(true);
var oneOrMore = (item) => transform(
  either(item, list(item)),
  (value) => Array.isArray(value) ? value : [value]
);
var headerName = refine(
  matching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "a header name"),
  (name) => !/^(?:content-length|transfer-encoding|trailer)$/i.test(name),
  "a header that does not frame the body (for a wrong Content-Length there is the effect contentLength)"
);
var headerValue = refine(
  transform(either(string, number), String),
  (value) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
  "a header value without line breaks, in Latin-1"
);
var conditions = fields({
  operation: optional(oneOrMore(oneOf(...operationNames))),
  method: optional(oneOf("GET", "POST")),
  key: optional(oneOrMore(string)),
  plan: optional(string),
  status: optional(oneOf(...petStatuses)),
  petId: optional(int64),
  nth: optional(fromOne),
  every: optional(fromOne),
  first: optional(fromOne),
  probability: optional(fraction),
  after: optional(duration),
  for: optional(duration),
  times: optional(fromOne)
});
var ofOneOperation = refine(
  conditions,
  ({ operation = operationNames, method, status: status2, petId }) => operation.some(
    (name) => (method === void 0 || method === "POST" === (name === "createPet")) && (status2 === void 0 || name === "listPets") && (petId === void 0 || name === "getPet")
  ),
  "conditions of one operation: createPet is a POST, status is of listPets, petId of getPet"
);
var when = refine(
  ofOneOperation,
  ({ nth, every = 1, first = Number.POSITIVE_INFINITY }) => (nth ?? every) <= first && (nth ?? every) % every === 0,
  "a number that can come: nth a multiple of every, and both within first"
);
var effects = {
  respond: optional(
    refine(
      refine(
        fields({
          status: whole(200, 599, "a status from 200 to 599"),
          headers: optional(mapOf(headerName, either(headerValue, oneOf(null)))),
          body: optional(either(text, mapOf(string, anything), list(anything)))
        }),
        ({ body }) => body === void 0 || isJson(body),
        "a body that JSON can hold"
      ),
      ({ status: status2, body }) => body === void 0 || body === "" || !statusesWithoutBody.includes(status2),
      `no body: an answer with status ${statusesWithoutBody.join(", ")} has none`
    )
  ),
  reset: optional(yes),
  close: optional(yes),
  hang: optional(yes),
  ban: optional(refine(duration, (ms) => ms > 0, "a duration above 0")),
  truncate: optional(either(fields({ fraction }), fields({ bytes: count }))),
  drip: optional(fields({ bytes: fromOne, every: duration })),
  malformed: optional(yes),
  empty: optional(yes),
  contentLength: optional(count),
  contentType: optional(oneOf("text/html"))
};
var shaping = ["truncate", "drip", "malformed", "empty", "contentLength", "contentType"];
var effectNames = Object.keys(effects);
var delay = either(
  duration,
  fields({ fixed: duration }),
  refine(
    fields({ p50: duration, p99: duration }),
    ({ p50, p99 }) => p50 > 0 && p99 >= p50,
    "p50 above 0 and p99 not below it"
  )
);
var thenFields = fields({
  ...effects,
  delay: optional(delay),
  phase: optional(oneOf("before", "after")),
  countsQuota: optional(boolean),
  failTimes: optional(fromOne)
});
var effectsOf = (value) => effectNames.filter((name) => value[name] !== void 0);
var withEffect = refine(
  thenFields,
  (value) => value.delay !== void 0 || effectsOf(value).length > 0,
  `an effect: delay or one of ${effectNames.join(", ")}`
);
var withOneEffect = refine(
  withEffect,
  (value) => effectsOf(value).length <= 1,
  `one of ${effectNames.join(", ")}, and not more (delay may go with it)`
);
var withBanAlone = refine(
  withOneEffect,
  ({ ban: ban2, phase, countsQuota, failTimes }) => ban2 === void 0 || (phase ?? countsQuota ?? failTimes) === void 0,
  "no phase, countsQuota or failTimes with ban, which refuses the request (delay may go with it)"
);
var then = refine(
  withBanAlone,
  (value) => value.phase !== "before" || !shaping.some((name) => value[name] !== void 0),
  `phase after: ${shaping.join(", ")} change the answer of the operation, which must have run`
);
var faultSchema = fields({
  name: optional(refine(text, (name) => name !== "", "a name", { minLength: 1 })),
  when: optional(when, {}),
  then
});
function toFaultRule(fault, fallbackName) {
  const { delay: delay2, failTimes, countsQuota = true } = fault.then;
  const shapes = shaping.some((name2) => fault.then[name2] !== void 0);
  const name = fault.name ?? fallbackName;
  return {
    name,
    definition: { name, when: fault.when, then: fault.then },
    when: fault.when,
    effect: toEffect(fault.then),
    delayMs: typeof delay2 === "number" ? { fixed: delay2 } : delay2,
    phase: fault.then.phase ?? (shapes ? "after" : "before"),
    // A refused request uses none.
    countsQuota: countsQuota && fault.then.ban === void 0,
    failTimes
  };
}
function toEffect(checked) {
  const { respond, ban: ban2, truncate, drip, contentLength } = checked;
  if (respond !== void 0) {
    const { status: status2, headers = {}, body } = respond;
    return {
      kind: "respond",
      status: status2,
      headers,
      body: typeof body === "object" ? stringifyJson(body) : body
    };
  }
  if (ban2 !== void 0) return { kind: "ban", forMs: ban2 };
  for (const kind2 of ["reset", "close", "hang"]) if (checked[kind2]) return { kind: "wire", wire: { kind: kind2 } };
  if (truncate !== void 0) {
    if ("fraction" in truncate) return { kind: "truncateFraction", fraction: truncate.fraction };
    return { kind: "wire", wire: { kind: "truncate", bytes: truncate.bytes } };
  }
  if (drip !== void 0) return { kind: "wire", wire: { kind: "drip", bytes: drip.bytes, everyMs: drip.every } };
  if (contentLength !== void 0) return { kind: "wire", wire: { kind: "contentLength", value: contentLength } };
  for (const kind2 of ["malformed", "empty"]) if (checked[kind2]) return { kind: kind2 };
  return checked.contentType === void 0 ? { kind: "none" } : { kind: "html" };
}

// src/scenario/resolve-plans.ts
var unknownLimits = { minute: 1e9, day: 1e9 };
function resolvePlans({ plans = {} }, { enterpriseLimits }, issues) {
  const resolved = { ...documentedPlans, enterprise: enterpriseLimits };
  for (const [name, limits2] of Object.entries(plans)) {
    const base = Object.hasOwn(resolved, name) ? resolved[name] : void 0;
    const { minute = base?.minute, day = base?.day } = limits2;
    for (const [window, limit2] of Object.entries({ minute, day })) {
      const message = "expected a number, got none: a plan that the service does not have needs both limits";
      if (limit2 === void 0) issues.push(issueAt(["plans", name, window], message));
    }
    resolved[name] = { ...unknownLimits, ...minute && { minute }, ...day && { day } };
  }
  return resolved;
}

// src/scenario/scenario-error.ts
var ScenarioError = class extends Error {
  /** @param subject what has the mistakes: a scenario, or one key, pet or fault rule */
  constructor(issues, subject = "scenario") {
    super(formatIssues(issues, subject));
    this.issues = issues;
    this.subject = subject;
  }
  issues;
  subject;
  name = "ScenarioError";
  /** By its form, because a program may have loaded the package as an ES module and by `require`, each with this class. */
  static [Symbol.hasInstance](value) {
    return value instanceof Error && value.name === "ScenarioError" && "issues" in value;
  }
};

// src/faults/hostile-headers.ts
var hostileRetryAfterForms = [
  "past-date",
  "negative",
  "fractional",
  "zero",
  "missing",
  "huge",
  "epoch",
  "milliseconds",
  "garbage"
];
var hostileResetForms = ["milliseconds", "delta", "skewed", "missing"];
var hugeSeconds = 30 * 86400;
var skewSeconds = 40;
function corruptHeaders(headers, { hostile, isRefusal, nowSeconds, resetAtSeconds, httpDate: httpDate2 }) {
  if (hostile.reset === "missing") delete headers[rateLimitHeaders.reset];
  else if (hostile.reset !== void 0) {
    const forms = {
      milliseconds: resetAtSeconds * 1e3,
      delta: resetAtSeconds - nowSeconds,
      skewed: resetAtSeconds - skewSeconds
    };
    headers[rateLimitHeaders.reset] = String(forms[hostile.reset]);
  }
  if (!isRefusal) return;
  if (hostile.remaining !== void 0) headers[rateLimitHeaders.remaining] = String(hostile.remaining);
  if (hostile.retryAfter === "missing") delete headers[retryAfterHeader];
  else if (hostile.retryAfter !== void 0) {
    const seconds2 = resetAtSeconds - nowSeconds;
    const forms = {
      "past-date": httpDate2(nowSeconds - 1),
      negative: "-5",
      fractional: (seconds2 - 0.5).toFixed(1),
      zero: "0",
      huge: String(hugeSeconds),
      epoch: String(resetAtSeconds),
      milliseconds: String(seconds2 * 1e3),
      garbage: "soon"
    };
    headers[retryAfterHeader] = forms[hostile.retryAfter];
  }
  if (hostile.html) {
    for (const name of [...Object.values(rateLimitHeaders), retryAfterHeader]) delete headers[name];
    headers["Content-Type"] = "text/html";
  }
}
var htmlPage = (status2) => `<!doctype html><html><head><title>${status2}</title></head><body><h1>Error ${status2}</h1></body></html>`;

// src/rate-limits/settings.ts
var choice = (byDefault, ...others) => ({
  default: byDefault,
  others
});
var open2 = (byDefault) => ({ default: byDefault });
var limitSettings = {
  acceptAnyKey: choice(false, true),
  unauthorizedHeaders: choice("full", "omit", "remaining-zero"),
  limitsApply: open2("all"),
  enterpriseLimits: open2({ minute: 5e3, day: 1e6 }),
  algorithm: choice("fixed-window", "sliding-log", "token-bucket"),
  windowStart: choice("first-request", "clock"),
  rejectedCounts: choice("none", "other-windows", "all"),
  reportedWindow: choice("least-remaining", "minute", "day"),
  retryAfterForm: choice("seconds", "http-date"),
  rateLimitFields: choice("none", "legacy", "structured-rt", "structured-aw"),
  banAfter: open2(3),
  banGraceMs: open2(1e3),
  banToleranceMs: open2(50),
  banSeconds: open2(120),
  banExtend: choice(false, true),
  banEscalation: open2(false),
  banStatus: choice(429, 403, 401, 418)
};

// src/petstore/settings.ts
var settingValues = {
  defaultStatus: choice("available", "pending", "sold", "absent"),
  unknownCategory: choice("accept", "reject"),
  unknownFields: choice("ignore", "reject", "echo"),
  emptyName: choice("accept", "reject"),
  listOrder: choice("id-ascending", "newest-first", "shuffled"),
  paging: choice("none", "cursor", "offset", "page"),
  limitOutOfRange: choice("reject", "clamp", "default"),
  unknownStatusFilter: choice("reject", "empty", "ignore"),
  unknownQuery: choice("ignore", "reject"),
  malformedPetId: choice("not-found", "reject"),
  contentType: choice("reject", "accept", "unsupported"),
  bodyTooLarge: choice("payload-too-large"),
  unknownRoute: choice("not-found"),
  unknownMethod: choice("method-not-allowed", "not-found"),
  errorCodes: open2({}),
  ...limitSettings,
  deprecation: choice("silent", "headers"),
  afterRemoval: choice("not-found", "gone", "keep"),
  cors: open2("loopback")
};
var defaultSettings = Object.fromEntries(
  Object.entries(settingValues).map(([id, value]) => [id, value.default])
);

// src/requests/error-codes.ts
var errorCodes = [
  "invalid_request",
  "unauthorized",
  "not_found",
  "method_not_allowed",
  "gone",
  "payload_too_large",
  "unsupported_media_type",
  "rate_limit_exceeded",
  "key_banned",
  "internal_error"
];

// src/scenario/key-schema.ts
var keyText = matching(
  /^[\x21-\x2b\x2d-\x7e\xa1-\xff]+$/,
  "an API key that a header can carry: Latin-1, without spaces, commas and control characters"
);
var keyFields = {
  plan: optional(string),
  state: optional(oneOf("active", "revoked")),
  expiresAt: optional(instant),
  expiresIn: optional(duration),
  usage: optional(fields({ minute: optional(count), day: optional(count) })),
  bannedFor: optional(duration)
};

// src/scenario/client-schema.ts
var clientSchema = fields({
  key: optional(keyText),
  operation: optional(oneOf(...operationNames)),
  calls: optional(whole(1, 1e5)),
  parallel: optional(whole(1, 1e3))
});

// src/scenario/pet-schema.ts
var status = optional(oneOf(...petStatuses));
var documentedFields = ["id", "name", "categoryId", "status"];
var extraFields = kind(
  "a map of JSON values, without a documented field",
  (value) => isMap(value) && isJson(value) && !documentedFields.some((field) => Object.hasOwn(value, field)),
  { type: "object", additionalProperties: true }
);
var scenarioPetSchema = fields({
  id: optional(int64),
  name: text,
  categoryId: int64,
  status: optional(oneOf(...petStatuses, null)),
  extra: optional(extraFields)
});
var petSchema = fields({
  id: optional(int64),
  name: text,
  categoryId: int64,
  status,
  extra: optional(extraFields)
});
var petChangesSchema = fields({
  name: optional(text),
  categoryId: optional(int64),
  status,
  extra: optional(extraFields)
});

// src/scenario/scenario-schema.ts
var maximumPets = 1e7;
var limit = whole(1, 1e9, "a whole number from 1 to 1,000,000,000");
var planLimits = fields({ minute: limit, day: limit });
var openValues = {
  errorCodes: mapOf(oneOf(...errorCodes), text),
  limitsApply: either(oneOf("all", "none"), list(oneOf(...operationNames))),
  enterpriseLimits: planLimits,
  ...banValues,
  cors: either(oneOf("loopback", "hidden", "off"), list(text))
};
var optionalValues = Object.fromEntries(
  Object.entries(settingValues).map(([id, value]) => [
    id,
    optional(
      "others" in value ? oneOf(value.default, ...value.others) : openValues[id]
    )
  ])
);
var banPresetNames = ["default", "strict", "binance", "strava", "penalty", "off"];
var hostileHeadersSchema = fields({
  retryAfter: optional(oneOf(...hostileRetryAfterForms)),
  reset: optional(oneOf(...hostileResetForms)),
  remaining: optional(count),
  html: optional(oneOf(true))
});
var scenarioSchema = fields({
  $schema: optional(string),
  name: optional(string),
  description: optional(string),
  group: optional(string),
  extends: optional(string),
  seed: optional(count),
  clock: optional(
    fields({
      start: optional(instant),
      mode: optional(oneOf("real", "frozen")),
      speed: optional(positive),
      skew: optional(signedDuration)
    })
  ),
  ids: optional(fields({ start: optional(int64) })),
  categories: optional(list(int64)),
  pets: optional(
    either(
      list(scenarioPetSchema),
      fields({
        generate: refine(
          fields({
            available: optional(count),
            pending: optional(count),
            sold: optional(count),
            locale: optional(string)
          }),
          ({ available = 0, pending = 0, sold = 0 }) => available + pending + sold <= maximumPets,
          "at most 10,000,000 pets in all"
        )
      }),
      fields({ file: string })
    )
  ),
  // What is left out of a plan of the service stays as it is there.
  plans: optional(mapOf(string, fields({ minute: optional(limit), day: optional(limit) }))),
  windows: optional(fields({ minute: optional(wholeSeconds), day: optional(wholeSeconds) })),
  keys: optional(mapOf(keyText, fields(keyFields))),
  limits: optional(
    either(
      oneOf("off"),
      fields({
        appliesTo: optionalValues.limitsApply,
        algorithm: optionalValues.algorithm,
        windowStart: optionalValues.windowStart,
        rejectedCounts: optionalValues.rejectedCounts,
        reportedWindow: optionalValues.reportedWindow,
        retryAfterForm: optionalValues.retryAfterForm,
        unauthorizedHeaders: optionalValues.unauthorizedHeaders
      })
    )
  ),
  ban: optional(
    either(
      oneOf(...banPresetNames),
      fields({ ...banFields, extend: optionalValues.banExtend, status: optionalValues.banStatus })
    )
  ),
  faults: optional(list(faultSchema)),
  hostileHeaders: optional(hostileHeadersSchema),
  background: optional(
    mapOf(
      keyText,
      refine(positive, (value) => value <= 1e4, "at most 10,000 requests a second", { maximum: 1e4 })
    )
  ),
  assumptions: optional(fields(optionalValues)),
  /** Read by `readStart`, which only those bring along who need it. */
  state: optional(anything),
  client: optional(clientSchema),
  expect: optional(expectationSchema)
});

// src/scenario/check-scenario.ts
function* checkScenario(scenario, issues, checkAll) {
  const found2 = [];
  const rest = {
    ...checkAll === void 0 ? check(scenarioSchema, scenario, found2) : yield* checkAll(scenarioSchema, scenario, found2)
  };
  issues.push(...toIssues(found2));
  for (const { steps: steps2, unknown } of found2) {
    const [field, name] = steps2;
    if (typeof name === "string" && field === "plans") loosen(rest, name);
    else if (typeof name === "string" && field === "assumptions")
      omitAssumption(rest, steps2.length === 2 && unknown ? unknown : name);
    else if (typeof name === "string" && field === "keys") {
      if (unknown === void 0 || unknown === "plan") delete rest.keys?.[name];
    } else if (field === "faults" && typeof name === "number") {
      if (unknown === void 0) keepNames(rest, scenario, name);
    } else if ((field === "client" || field === "background") && name !== void 0) {
      if (unknown === void 0) delete rest[field]?.[name];
    } else if (unknown === void 0) delete rest[field];
    if (name === void 0 && (field === "plans" || field === "assumptions")) {
      delete rest.keys;
      delete rest.faults;
    }
  }
  return rest;
}
function keepNames(rest, { faults }, index) {
  const rule = Array.isArray(faults) ? faults[index] : void 0;
  const { name, when: when2 } = isMap(rule) ? rule : {};
  const { key, plan } = isMap(when2) ? when2 : {};
  const keys = (Array.isArray(key) ? key : [key]).filter((each) => typeof each === "string");
  const named2 = {
    ...typeof name === "string" && name !== "" && { name },
    when: { ...keys.length > 0 && { key: keys }, ...typeof plan === "string" && { plan } },
    // Any effect: a scenario with a mistake never runs.
    then: { delay: 0 }
  };
  rest.faults = (rest.faults ?? []).with(index, named2);
}
function loosen(rest, plan) {
  rest.plans = { ...rest.plans, [plan]: unknownLimits };
  if (plan === "enterprise" && rest.assumptions !== void 0) delete rest.assumptions.enterpriseLimits;
}
function omitAssumption(rest, id) {
  const others = { ...rest.assumptions };
  delete others[id];
  if (id === "acceptAnyKey") others.acceptAnyKey = true;
  rest.assumptions = others;
  if (id === "enterpriseLimits") loosen(rest, "enterprise");
}
var checkFault = (fault) => checkWith(faultSchema, fault, "fault rule");
function checkWith(schema, value, subject) {
  const found2 = [];
  const output = check(schema, value, found2);
  if (found2.length > 0) throw new ScenarioError(toIssues(found2), subject);
  return output;
}
var toIssues = (found2) => found2.slice(0, maximumIssues).map(({ steps: steps2, message, onName }) => issueAt(steps2, message, onName));

// src/scenario/resolve-keys.ts
var keySchema = fields(keyFields);
var namedKeySchema = fields({ key: keyText, ...keyFields });
function* resolveKeys({ keys = {} }, plans, issues) {
  const definitions = /* @__PURE__ */ new Map();
  for (const text2 of Object.keys(keys)) {
    definitions.set(text2, toDefinition(keys[text2], plans, ["keys", text2], issues));
    yield;
  }
  return definitions;
}
function checkKey(text2, input, plans) {
  const { key: _, ...checked } = checkWith(namedKeySchema, { ...input, key: text2 }, "API key");
  const issues = [];
  const definition = toDefinition(checked, plans, [], issues);
  if (issues.length > 0) throw new ScenarioError(issues, "API key");
  return definition;
}
var mostHints = 10;
function checkKeyNames({ client, background = {}, faults = [] }, keys, issues) {
  const check2 = (key, steps2, onName = false) => {
    if (Object.hasOwn(keys, key) || issues.length >= maximumIssues) return;
    const hint = issues.length < mostHints ? hintFor(key, Object.keys(keys)) : "";
    issues.push(issueAt(steps2, `expected an API key of the scenario, got ${JSON.stringify(key)}${hint}`, onName));
  };
  if (client?.key !== void 0) check2(client.key, ["client", "key"]);
  for (const key of Object.keys(background)) check2(key, ["background", key], true);
  for (const [index, { when: when2 }] of faults.entries()) {
    for (const key of when2.key ?? []) check2(key, ["faults", index, "when", "key"]);
  }
}
function limitsOf(plan, plans, steps2, issues) {
  if (Object.hasOwn(plans, plan)) return plans[plan];
  const names = Object.keys(plans);
  const hint = hintFor(plan, names);
  issues.push(issueAt(steps2, `expected a plan (${names.join(", ")}), got ${JSON.stringify(plan)}${hint}`));
  return void 0;
}
function toDefinition({ plan = "free", state = "active", usage, bannedFor = 0, expiresAt, expiresIn }, plans, steps2, issues) {
  const limits2 = limitsOf(plan, plans, [...steps2, "plan"], issues);
  const used = { minute: usage?.minute ?? 0, day: usage?.day ?? 0 };
  for (const window of ["minute", "day"]) {
    if (limits2 === void 0 || used[window] <= limits2[window]) continue;
    const message = `expected at most the limit of the plan (${limits2[window]}), got ${used[window]}`;
    issues.push(issueAt([...steps2, "usage", window], message));
  }
  return { plan, state, expiresAtMs: expiresAt, expiresInMs: expiresIn, usage: used, bannedForMs: bannedFor };
}

// src/scenario/resolve-pets.ts
function resolvePets({ pets: pets2 = [], ids }, context, issues) {
  const { seed, categories, settings, generatePets } = context;
  const firstId = ids?.start ?? 1;
  if ("file" in pets2) {
    issues.push(issueAt(["pets", "file"], "expected a list of pets (only a scenario that is a file may name one)"));
    return [];
  }
  if (!Array.isArray(pets2)) {
    if (generatePets !== void 0) {
      try {
        return generatePets(pets2.generate, { seed, firstId, categories });
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        issues.push(issueAt(["pets", "generate"], error.message));
        return [];
      }
    }
    issues.push(
      issueAt(
        ["pets", "generate"],
        'expected a generator: pass { generatePets } from "petstore-sim/seed" to createSimulator'
      )
    );
    return [];
  }
  const status2 = settings.defaultStatus === "absent" ? void 0 : settings.defaultStatus;
  const owners = /* @__PURE__ */ new Map();
  const take = (id, index) => {
    const owner = owners.get(id);
    if (owner === void 0) owners.set(id, index);
    else {
      const other = `pets[${owner}] (${JSON.stringify(cut(pets2[owner]?.name ?? ""))})`;
      issues.push(issueAt(["pets", index, "id"], `expected a free id, got ${id}, which ${other} has`));
    }
    return id;
  };
  for (const [index, { id }] of pets2.entries()) if (id !== void 0) take(id, index);
  let nextId = firstId;
  return pets2.map((pet, index) => {
    if (pet.id === void 0) while (nextId !== greatestInt64 && owners.has(nextId)) nextId = nextInt64(nextId);
    const id = pet.id ?? take(nextId, index);
    const { name, categoryId, extra } = pet;
    return { id, name, categoryId, status: pet.status === void 0 ? status2 : pet.status ?? void 0, extra };
  });
}

// src/scenario/resolve-settings.ts
var presets = {
  default: {},
  strict: { banAfter: 1 },
  binance: { windowStart: "clock", banStatus: 418, banEscalation: { factor: 2, maxSeconds: 259200 } },
  strava: { rejectedCounts: "other-windows" },
  penalty: { banExtend: true },
  off: { banAfter: 0 }
};
function resolveSettings(checked, issues) {
  const { limits: limits2 = {}, ban: ban2 = {}, plans = {}, assumptions: assumptions2 = {} } = checked;
  const preset = typeof ban2 === "string" ? presets[ban2] : {};
  const { appliesTo, ...otherLimits } = limits2 === "off" ? { appliesTo: "none" } : limits2;
  const { after, for: seconds2, grace, tolerance, extend, escalation, status: status2 } = typeof ban2 === "string" ? {} : ban2;
  const inPlace = {
    enterpriseLimits: plans.enterprise && {
      ...assumptions2.enterpriseLimits ?? defaultSettings.enterpriseLimits,
      ...plans.enterprise
    },
    limitsApply: appliesTo,
    ...otherLimits,
    banAfter: after,
    banSeconds: seconds2,
    banGraceMs: grace,
    banToleranceMs: tolerance,
    banExtend: extend,
    banEscalation: escalation && { factor: escalation.factor, maxSeconds: escalation.max },
    banStatus: status2
  };
  const settings = { ...defaultSettings, ...preset };
  for (const [id, value] of Object.entries(assumptions2)) if (value !== void 0) settings[id] = value;
  for (const [id, value] of Object.entries(inPlace)) {
    if (value === void 0) continue;
    const other = assumptions2[id];
    if (other !== void 0 && JSON.stringify(other) !== JSON.stringify(value)) {
      issues.push(
        issueAt(
          ["assumptions", id],
          `expected the value that plans, limits or ban sets (${JSON.stringify(value)}), got ${JSON.stringify(other)}`
        )
      );
    }
    settings[id] = value;
  }
  return deepFreeze(settings);
}

// src/scenario/resolve-scenario.ts
var resolveScenario = (scenario, generatePets, readStart) => inOneGo(resolveInSteps(scenario, generatePets, readStart));
function* resolveInSteps(scenario, generatePets, readStart, checkAll) {
  const complete = completed(scenario);
  yield;
  const issues = [];
  const checked = yield* checkScenario(complete, issues, checkAll);
  const settings = resolveSettings(checked, issues);
  if (checked.extends !== void 0 && checked.extends !== "default") {
    const message = `expected "default" (only a file may name another), got ${JSON.stringify(checked.extends)}`;
    issues.push(issueAt(["extends"], message));
  }
  if (!settings.acceptAnyKey && isMap(complete?.keys)) checkKeyNames(checked, complete.keys, issues);
  const plans = resolvePlans(checked, settings, issues);
  const seed = checked.seed ?? 1;
  const { start: startMs2, skew: skewMs, mode, speed } = checked.clock ?? {};
  const idStart = checked.ids?.start;
  const categories = checked.categories ?? [];
  const windowLengths = {
    minute: checked.windows?.minute ?? windowSeconds.minute,
    day: checked.windows?.day ?? windowSeconds.day
  };
  const resolved = {
    scenario: complete,
    name: checked.name ?? "unnamed",
    seed,
    clock: { startMs: startMs2, skewMs, mode, speed },
    idStart,
    categories: new Set(categories),
    pets: yield* mapInSteps(resolvePets(checked, { seed, categories, settings, generatePets }, issues), toStored),
    plans,
    windowSeconds: windowLengths,
    keys: yield* resolveKeys(checked, plans, issues),
    faults: resolveFaults(checked, plans, issues),
    hostileHeaders: checked.hostileHeaders,
    background: new Map(Object.entries(checked.background ?? {})),
    settings,
    start: readStart?.(checked, { plans, windowSeconds: windowLengths, settings }, issues)
  };
  if (checked.state !== void 0 && readStart === void 0) {
    const message = 'expected a reader: pass { readStart } from "petstore-sim/control" to createSimulator';
    issues.push(issueAt(["state"], message));
  }
  if (issues.length > 0) throw new ScenarioError(issues);
  return resolved;
}
function completed(scenario) {
  const present = withPresentNames(scenario);
  if (!isMap(present)) return merge(defaultScenario, present);
  const { keys, ...rest } = present;
  const { description, ...others } = merge(defaultScenario, isMap(keys) ? rest : present);
  return {
    ...others,
    // What the default scenario says of itself is true of no other.
    ...(scenario.description !== void 0 || scenario.name === void 0) && { description },
    // Its own keys first: the first of them is the one that a client is given. Merged like all else, with one copy of
    // what may be many thousands.
    ...isMap(keys) && { keys: Object.assign({ ...keys }, mergeEach(defaultScenario.keys, keys)) }
  };
}
var mergeEach = (base = {}, over) => Object.fromEntries(Object.entries(base).map(([name, value]) => [name, merge(value, over[name])]));
function resolveFaults({ faults = [] }, plans, issues) {
  const given = faults.map(({ name }) => name);
  const taken = new Set(given.filter((name) => name !== void 0));
  return faults.map((fault, index) => {
    const rule = toFaultRule(fault, freeFaultName(taken, index + 1));
    if (fault.name !== void 0 && given.indexOf(fault.name) < index) {
      issues.push(issueAt(["faults", index, "name"], `expected a free name, got "${rule.name}", which is taken`));
    }
    taken.add(rule.name);
    const { plan } = rule.when;
    if (plan !== void 0) limitsOf(plan, plans, ["faults", index, "when", "plan"], issues);
    return rule;
  });
}

// src/values/check-options.ts
function checkOptions(of, options, known2) {
  const names = Object.keys(known2);
  const isMap2 = typeof options === "object" && options !== null;
  const given = isMap2 ? Object.entries(options) : [[String(options), true]];
  for (const [name, value] of given) {
    if (value === void 0 || names.includes(name)) continue;
    throw new TypeError(`${of}: expected the options ${names.join(", ")}, got ${JSON.stringify(name)}`);
  }
}

// src/petstore/assumptions.ts
var limitsSilent = "Whether these plan limits apply to the pet endpoints above: not shown.";
var windowSilent = '"Requests remaining in the current window." How windows start, count and overlap: not shown.';
var banSilent = '"Continuing to send requests after a 429 may lead to a temporary ban of the API key." When and how long: not shown.';
var pagingSilent = "Paging parameters other than limit, and any paging envelope or cursor: not shown.";
var invalidSilent = '"400 when the body is missing required fields or contains invalid values." Which values are invalid: not shown.';
var assumptions = /* @__PURE__ */ withValues({
  defaultStatus: {
    question: "Which status does a new pet have when the body names none?",
    documentQuote: "Default of status when omitted: not shown."
  },
  unknownCategory: {
    question: "Is a categoryId accepted that the scenario does not list under categories?",
    documentQuote: "Category resource and its fields: not shown."
  },
  unknownFields: {
    question: "What happens to body fields that NewPet does not have?",
    documentQuote: invalidSilent
  },
  emptyName: {
    question: "Is an empty name accepted?",
    documentQuote: invalidSilent
  },
  listOrder: {
    question: "In which order are pets listed?",
    documentQuote: '"A JSON array of Pet objects." Its order: not shown.'
  },
  paging: {
    question: "How does a client reach the pets after the first page? (a Link header, RFC 8288)",
    documentQuote: pagingSilent
  },
  limitOutOfRange: {
    question: "What happens to a limit that is not a whole number from 1 to 100?",
    documentQuote: '"Minimum 1, maximum 100, default 20." listPets documents no 400.'
  },
  unknownStatusFilter: {
    question: "What does a list with an unknown status filter answer?",
    documentQuote: '"Filters by availability status." listPets documents no 400.'
  },
  unknownQuery: {
    question: "What happens to query parameters that the document does not name?",
    documentQuote: pagingSilent
  },
  malformedPetId: {
    question: "What does a petId answer that is not canonical int64 text?",
    documentQuote: '"Path parameter: petId, integer (int64)." getPet documents 401 and 404 only.'
  },
  contentType: {
    question: "What does a body answer whose Content-Type is not application/json?",
    documentQuote: '"All bodies are application/json." What happens otherwise: not shown.'
  },
  bodyTooLarge: {
    question: "What does a body over 64 KiB answer?",
    documentQuote: invalidSilent
  },
  unknownRoute: {
    question: "What does a path answer that the document does not name?",
    documentQuote: "Other operations (updating or deleting pets, store orders, categories): not shown."
  },
  unknownMethod: {
    question: "What does a known path answer to another method?",
    documentQuote: "Other operations (updating or deleting pets, store orders, categories): not shown."
  },
  errorCodes: {
    question: "Which values does the Error field code take?",
    documentQuote: "The set of values of the code field: not shown.",
    alternatives: [{ rate_limit_exceeded: "RATE_LIMITED", not_found: "PET_NOT_FOUND" }],
    form: "a map from the code listed under Errors to another"
  },
  acceptAnyKey: {
    question: "Does an unknown API key work, on the free plan?",
    documentQuote: "How keys are issued or revoked: not shown."
  },
  unauthorizedHeaders: {
    question: "What do the X-RateLimit headers of a 401 say?",
    documentQuote: '"Every API response carries these headers." Their values without a valid key: not shown.',
    alsoAt: "limits.unauthorizedHeaders"
  },
  limitsApply: {
    question: "Which operations do the plan limits apply to?",
    documentQuote: limitsSilent,
    alternatives: ["none", ["createPet"]],
    form: "all, none or a list of operations",
    alsoAt: "limits.appliesTo, limits: off"
  },
  enterpriseLimits: {
    question: "What are the limits of the Enterprise plan?",
    documentQuote: "Enterprise: Custom, Custom.",
    alternatives: [{ minute: 10, day: 50 }],
    form: "requests per minute and per day",
    alsoAt: "plans.enterprise"
  },
  algorithm: {
    question: "How are requests counted?",
    documentQuote: windowSilent,
    alsoAt: "limits.algorithm"
  },
  windowStart: {
    question: "When does a fixed window start: at the first request of the key, or aligned to the clock?",
    documentQuote: windowSilent,
    alsoAt: "limits.windowStart"
  },
  rejectedCounts: {
    question: "Does a request refused by one window count?",
    documentQuote: windowSilent,
    alsoAt: "limits.rejectedCounts"
  },
  reportedWindow: {
    question: "Which window do the X-RateLimit headers of a served request describe?",
    documentQuote: windowSilent,
    alsoAt: "limits.reportedWindow"
  },
  retryAfterForm: {
    question: "Is Retry-After written as seconds or as an HTTP date?",
    documentQuote: '"The client waits for the time given in the Retry-After header." Its form: not shown.',
    alsoAt: "limits.retryAfterForm"
  },
  rateLimitFields: {
    question: "Which RateLimit fields of the IETF draft stand beside the X-RateLimit headers, by the shape of their values?",
    documentQuote: '"Every API response carries these headers." Further ones: not shown.'
  },
  banAfter: {
    question: "How many strikes (refused requests that came too early) ban a key?",
    documentQuote: banSilent,
    alternatives: [1, 0],
    form: "a count; 0 never bans",
    alsoAt: "ban.after"
  },
  banGraceMs: {
    question: "How long after the first refusal is a refused request no strike (a parallel burst)?",
    documentQuote: banSilent,
    alternatives: [0],
    form: "milliseconds",
    alsoAt: "ban.grace"
  },
  banToleranceMs: {
    question: "How much too early may a request come without a strike?",
    documentQuote: banSilent,
    alternatives: [0],
    form: "milliseconds",
    alsoAt: "ban.tolerance"
  },
  banSeconds: {
    question: "How long does a ban last?",
    documentQuote: banSilent,
    alternatives: [5],
    form: "seconds",
    alsoAt: "ban.for"
  },
  banExtend: {
    question: "Does a request during a ban start the ban again?",
    documentQuote: banSilent,
    alsoAt: "ban.extend"
  },
  banEscalation: {
    question: "Is each further ban of a key longer?",
    documentQuote: banSilent,
    alternatives: [{ factor: 2, maxSeconds: 259200 }],
    form: "false, or a factor and the longest ban in seconds",
    alsoAt: "ban.escalation"
  },
  banStatus: {
    question: "With which status is a banned key refused?",
    documentQuote: banSilent,
    alsoAt: "ban.status"
  },
  deprecation: {
    question: "Does an answer of getPet say that the operation is deprecated?",
    documentQuote: "Deprecated: this operation is scheduled for removal on 5 December 2030. A header for it: not shown."
  },
  afterRemoval: {
    question: "What does getPet answer from 5 December 2030, 00:00 UTC?",
    documentQuote: "Versioning policy beyond this: not shown."
  },
  cors: {
    question: "Which origins may a browser page call the HTTP server from, and can it read the rate-limit headers?",
    documentQuote: "Cross-origin use from a browser: not shown.",
    alternatives: ["hidden", "off", ["https://app.example"]],
    form: "loopback, hidden (loopback, but headers not exposed), off, or a list of origins"
  }
});
function withValues(texts2) {
  const entries = Object.entries(settingValues).map(([id, values]) => {
    const { question, documentQuote, ...more } = texts2[id];
    const alternatives = "others" in values ? values.others : [];
    return [id, { question, documentQuote, default: values.default, alternatives, ...more }];
  });
  return Object.fromEntries(entries);
}

// src/hunt/describe-find.ts
function describeFind(scenario, { code, text: text2, repeat, seed }) {
  const sentence = text2.split(/(?<=\.) /, 1)[0] ?? "";
  const lines = Object.entries({ name: `hunt-${code}`, ...scenario }).flatMap(([name, value]) => {
    if (name !== "faults" || !Array.isArray(value)) return [lineOf(`${name}: ${flow(value)}`, name, value)];
    return ["faults:", ...value.map((rule) => lineOf(`  - ${flow(rule)}`, name, rule))];
  });
  return `${[`# ${code}: ${inOneLine(sentence)} (seed ${seed})`, `# Again: ${inOneLine(repeat)}`, ...lines].join("\n")}
`;
}
var inOneLine = (text2) => text2.replace(/\s+/g, " ").trim();
function lineOf(line, name, value) {
  const effects2 = effectsOf2(value, [name]);
  return effects2.length === 0 ? line : `${line} # ${[...new Set(effects2)].join("; ")}`;
}
var texts = [
  [/^(name|seed|expect\..*|\$schema|description)$/, ""],
  [/^client\.operation$/, "the client is asked for $"],
  [/^client\.calls$/, "the client makes $ calls"],
  [/^client\.parallel$/, "$ calls at a time"],
  [/^client\./, ""],
  [/\.usage\.minute$/, "$ requests of the minute are used up"],
  [/\.usage\.day$/, "$ requests of the day are used up"],
  [/\.bannedFor$/, "the key is banned for $"],
  [/\.state$/, "the key is $: 401"],
  [/\.expires(In|At)$/, "the key ends at $: 401 from then on"],
  [/^keys\..*\.plan$/, "the key has the plan $"],
  [/^plans\..*\.(minute|day)$/, "the plan allows $ requests"],
  [/^windows\.(minute|day)$/, "the window lasts $"],
  [/^limits$/, "the limits are $"],
  [/retryAfterForm$/, "Retry-After is written as $"],
  [/algorithm$/, "requests are counted by $"],
  [/windowStart$/, "windows start by $"],
  [/rejectedCounts$/, "refused requests count: $"],
  [/^hostileHeaders\.retryAfter$/, "Retry-After of a refusal is wrong: $"],
  [/^hostileHeaders\.reset$/, "X-RateLimit-Reset is wrong: $"],
  [/^hostileHeaders\.remaining$/, "a refusal says that $ requests remain"],
  [/^hostileHeaders\.html$/, "a refusal is an HTML page without rate-limit headers"],
  [/^ban$/, "bans by the rules $"],
  [/^(ban\.after|assumptions\.banAfter)$/, "banned after $ early requests"],
  [/^(ban\.for|assumptions\.banSeconds)$/, "a ban lasts $"],
  [/^(ban\.extend|assumptions\.banExtend)$/, "requests during a ban extend it: $"],
  [/^(ban\.status|assumptions\.banStatus)$/, "a banned key gets the status $"],
  [/^(ban\.|assumptions\.ban)/, "bans have $"],
  [/^background\./, "another client sends $ requests per second with the key"],
  [/^clock\.skew$/, "the service's clock is off by $"],
  [/^clock\.speed$/, "the service's clock runs $ times as fast"],
  [/^clock\.start$/, "the service's clock starts at $"],
  [/^ids\.start$/, "identifiers start at $"],
  [/^faults\.when\.operation/, "of $"],
  [/^faults\.when\.nth$/, "request number $"],
  [/^faults\.when\.first$/, "the first $ requests"],
  [/^faults\.when\.every$/, "each $th request"],
  [/^faults\.when\.times$/, "at most $ times"],
  [/^faults\.when\.probability$/, "with a chance of $"],
  [/^faults\.when\.after$/, "after $"],
  [/^faults\.when\.for$/, "for $"],
  [/^faults\.when\./, "where it is $"],
  [/^faults\.then\.respond\.status$/, "answers with status $"],
  [/^faults\.then\.respond\.headers\.(.*)$/, '$1 is "$"'],
  [/^faults\.then\.respond\.body/, "with another body"],
  [/^faults\.then\.(reset|close)$/, "the connection is cut"],
  [/^faults\.then\.hang$/, "no response ever comes"],
  [/^faults\.then\.ban$/, "bans the key for $"],
  [/^faults\.then\.delay/, "the response takes $"],
  [/^faults\.then\.phase$/, "$ the operation has run"],
  [/^faults\.then\.failTimes$/, "each call fails $ times, then succeeds"],
  [/^faults\.then\.countsQuota$/, "counts for the limits: $"],
  [/^faults\.then\.(truncate|contentLength)/, "the body is cut"],
  [/^faults\.then\.drip/, "the body comes in pieces"],
  [/^faults\.then\.(malformed|empty|contentType)$/, "the body is not the expected JSON"],
  [/^pets\./, "other pets"]
];
function effectsOf2(value, path) {
  if (isMap(value) || Array.isArray(value)) {
    return Object.entries(value).flatMap(
      ([name, inner]) => effectsOf2(inner, Array.isArray(value) ? path : [...path, name])
    );
  }
  const text2 = path.join(".");
  const known2 = texts.find(([pattern2]) => pattern2.test(text2));
  if (known2 === void 0) return [questionOf(path.at(-1) ?? "", value) ?? `${path.slice(1).join(".")} is ${String(value)}`];
  const [pattern, effect] = known2;
  const group2 = pattern.exec(text2)?.[1] ?? "";
  return effect === "" ? [] : [effect.replace("$1", group2).replace("$", String(value))];
}
function questionOf(id, value) {
  if (!Object.hasOwn(assumptions, id)) return void 0;
  const { question } = assumptions[id];
  return `${inOneLine(question)} ${String(value)}`;
}
function flow(value) {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (isMap(value)) {
    const fields2 = Object.entries(value).filter(([, part]) => part !== void 0);
    return fields2.length === 0 ? "{}" : `{ ${fields2.map(([name, part]) => `${scalar(name)}: ${flow(part)}`).join(", ")} }`;
  }
  if (value instanceof Date) return JSON.stringify(value.toISOString());
  return typeof value === "string" ? scalar(value) : String(value);
}
var scalar = (text2) => /^[A-Za-z$][\w$-]*$/.test(text2) && !/^(true|false|null|yes|no|on|y|n)$/i.test(text2) || /^\d+(ms|s|m|h|d)$/.test(text2) ? text2 : JSON.stringify(text2);

// src/values/percent-encoding.ts
function decodeUnreserved(path) {
  if (!path.includes("%")) return path;
  return path.replace(/%[0-9A-Fa-f]{2}/g, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : encoded;
  });
}

// src/in-process/address-pattern.ts
function addressPattern(baseUrl2 = basePath) {
  const bases = [baseUrl2].flat().map(readBaseUrl);
  if (bases.length === 0) throw badBaseUrl("an empty list");
  const alternatives = bases.sort((a, b) => b.path.length - a.path.length).map(({ origin, path }) => origin + path);
  return new RegExp(`^(?:${alternatives.join("|")})(?=[/?#]|$)`);
}
function readBaseUrl(text2) {
  const isPath = /^\/(?!\/)/.test(text2);
  const whole3 = isPath ? `http://any${text2}` : text2;
  if (!URL.canParse(whole3)) throw badBaseUrl(JSON.stringify(text2));
  const { protocol, origin, pathname, search: search2, hash, username, password } = new URL(whole3);
  const isHttp = protocol === "http:" || protocol === "https:";
  const isBare = search2 + hash + username + password === "" && !pathname.includes("*");
  if (!isHttp || !isBare) throw badBaseUrl(JSON.stringify(text2));
  return { origin: isPath ? "https?://[^/?#]+" : escaped2(origin), path: escaped2(pathname.replace(/\/+$/, "")) };
}
var escaped2 = (text2) => text2.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
var badBaseUrl = (got) => new TypeError(
  `Failed to read the base URL: expected an address such as "https://api.example.com${basePath}", or a path such as "${basePath}", got ${got}`
);

// src/in-process/to-response.ts
async function toResponse({ status: status2, headers: fields2, body, wire, finish }, { method, signal }, clock) {
  const headers = Object.entries(fields2);
  switch (wire?.kind) {
    case "reset":
    case "close":
      return Response.error();
    case "hang":
      await clock.sleep(Number.POSITIVE_INFINITY, signal);
      return Response.error();
  }
  if (method === "HEAD" || statusesWithoutBody.includes(status2)) {
    finish?.(true);
    return new Response(null, { status: status2, headers });
  }
  switch (wire?.kind) {
    case "truncate":
      return new Response(cutStream(encode(body), wire.bytes), { status: status2, headers });
    case "contentLength": {
      const all = encode(body);
      const seen = wire.value > all.length ? cutStream(all, all.length, wire.value) : all.subarray(0, wire.value);
      return new Response(seen, { status: status2, headers: [...headers, ["Content-Length", String(wire.value)]] });
    }
    case "drip":
      return new Response(slowStream(encode(body), wire, { clock, signal, finish }), { status: status2, headers });
    default:
      return new Response("Content-Type" in fields2 ? body : encode(body), { status: status2, headers });
  }
}
var encode = (text2) => new TextEncoder().encode(text2);
function cutStream(all, bytes, expected = all.length) {
  const sent = all.subarray(0, bytes);
  const left = sent.length > 0 ? [sent] : [];
  return new ReadableStream(
    {
      pull(controller) {
        const chunk = left.pop();
        if (chunk !== void 0) controller.enqueue(chunk);
        else if (sent.length < expected) controller.error(terminated());
        else controller.close();
      }
    },
    // Nothing is queued ahead of the reader, because an error would discard the queue, also that of the copy that msw makes.
    { highWaterMark: 0 }
  );
}
function slowStream(all, { bytes, everyMs }, { clock, signal, finish }) {
  const cancelled = new AbortController();
  const send = async (controller) => {
    const gone2 = AbortSignal.any([signal, cancelled.signal]);
    for (let at = 0; at < all.length; at += bytes) {
      if (at > 0) await clock.sleep(everyMs, gone2);
      controller.enqueue(all.subarray(at, at + bytes));
    }
    controller.close();
    finish?.(true);
  };
  return new ReadableStream({
    start(controller) {
      send(controller).catch((error) => {
        finish?.(false);
        if (!cancelled.signal.aborted) controller.error(signal.aborted ? signal.reason : terminated(error));
      });
    },
    cancel: () => cancelled.abort()
  });
}
var terminated = (cause) => new TypeError("terminated", { cause });

// src/in-process/fetch.ts
function createConnections() {
  const free3 = [];
  let last = 0;
  return {
    take: () => free3.pop() ?? ++last,
    free: (connection) => void free3.push(connection)
  };
}
function createAnswerRequest(sim, pattern) {
  const connections = createConnections();
  let underWay = 0;
  return async (request) => {
    const connection = underWay++ === 0 ? void 0 : connections.take();
    try {
      return await answerRequest(sim, pattern, request, connection);
    } finally {
      underWay--;
      if (connection !== void 0) connections.free(connection);
    }
  };
}
async function answerRequest({ handle, clock, unrecorded, basePaths = [] }, pattern, request, connection) {
  const baseUrl2 = pattern.exec(request.url)?.[0];
  if (baseUrl2 === void 0) {
    const { method, url, headers } = request;
    unrecorded?.recordOutside(method, new URL(url).pathname, basePath, headers.get("authorization"));
    return Response.json(JSON.parse(nothingHere), { status: 404 });
  }
  const [address = ""] = request.url.slice(baseUrl2.length).split("#", 1);
  const [path = "", ...query] = address.split("?");
  const body = await readBody(request);
  request.signal.throwIfAborted();
  const call = {
    method: request.method,
    path: decodeUnreserved(path),
    query: query.join("?"),
    baseUrl: baseUrl2,
    basePath: basePaths.find((each) => each !== basePath && baseUrl2.endsWith(each)),
    header: (name) => request.headers.get(name) ?? void 0,
    body,
    connection,
    signal: request.signal
  };
  try {
    return await toResponse(await handle(call), request, clock);
  } catch (error) {
    request.signal.throwIfAborted();
    if (error instanceof Error && error.name === "ResetError") return Response.error();
    throw error;
  }
}
async function readBody(request) {
  const { body, signal } = request;
  if (body === null) return void 0;
  if (body === void 0) return new Uint8Array(await request.arrayBuffer());
  const reader = body.getReader();
  const stop = () => void reader.cancel().catch(() => {
  });
  signal.addEventListener("abort", stop);
  const chunks = [];
  let bytes = 0;
  while (bytes <= maximumBodyBytes) {
    const { value } = await reader.read();
    if (value === void 0) break;
    chunks.push(value);
    bytes += value.length;
  }
  signal.removeEventListener("abort", stop);
  if (bytes > maximumBodyBytes) stop();
  return concatenate(chunks, bytes);
}
function concatenate([first = new Uint8Array(), ...more], bytes) {
  if (more.length === 0) return first;
  const whole3 = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of [first, ...more]) {
    whole3.set(chunk, at);
    at += chunk.length;
  }
  return whole3;
}
function createFetch(sim) {
  const answer = createAnswerRequest(sim, addressPattern(sim.basePaths));
  return async (input, init) => {
    const isPath = typeof input === "string" && input.startsWith("/");
    const request = new Request(isPath ? `http://localhost${input}` : input, init);
    request.signal.throwIfAborted();
    const response = await answer(request);
    if (response.type === "error") throw new TypeError("Failed to fetch");
    return response;
  };
}
var nothingHere = errorBody({
  status: 404,
  code: "not_found",
  message: `There is nothing at this address; the API is under ${basePath}.`
});

// src/journal/unrecorded.ts
var mostGroups = 50;
var mostCharacters = 200;
var otherPaths = "\u2026";
var cut2 = (path) => path.length > mostCharacters ? `${path.slice(0, path.lastIndexOf("/", mostCharacters))}/${otherPaths}` : path;
var Unrecorded = class {
  #groups = /* @__PURE__ */ new Map();
  /** How many there are. */
  count = 0;
  /** @param authorization the header of the request, so that a verdict on one key can leave the others out */
  record(request, authorization) {
    this.count++;
    const { why, method, status: status2 } = request;
    const path = cut2(request.path);
    const token = authorization?.slice(authorization.lastIndexOf(" ") + 1);
    const id = [why, method, path, status2, token].join("\n");
    const known2 = this.#groups.get(id);
    if (known2 !== void 0) known2.count++;
    else if (this.#groups.size < mostGroups) this.#groups.set(id, { ...request, path, token, count: 1 });
    else this.#recordOther(request);
  }
  /** Records a request to an address that is none of the API's, which got a 404. */
  recordOutside(method, path, api, authorization) {
    this.record({ why: "outside", method, path, status: 404, api }, authorization);
  }
  /** @param isWanted takes requests by their token; default: all */
  list(isWanted = () => true) {
    const merged2 = /* @__PURE__ */ new Map();
    for (const { token, ...group2 } of this.#groups.values()) {
      if (!isWanted({ token })) continue;
      const id = [group2.why, group2.method, group2.path, group2.status].join("\n");
      const same = merged2.get(id);
      if (same === void 0) merged2.set(id, group2);
      else same.count += group2.count;
    }
    return [...merged2.values()];
  }
  clear() {
    this.#groups.clear();
    this.count = 0;
  }
  #recordOther({ why, api }) {
    const other = this.#groups.get(why);
    if (other !== void 0) other.count++;
    else this.#groups.set(why, { why, method: "", path: otherPaths, api, token: void 0, count: 1 });
  }
};

// src/rate-limits/window.ts
var notStarted = -1;
function createWindow(limit2, lengthSeconds) {
  return {
    limit: limit2,
    lengthSeconds,
    startSeconds: notStarted,
    used: 0,
    log: [],
    logStart: 0,
    remaining: limit2,
    resetAtSeconds: 0
  };
}
function windowAlgorithm({
  algorithm,
  windowStart
}) {
  if (algorithm === "sliding-log") return slidingLog;
  if (algorithm === "token-bucket") return tokenBucket;
  return windowStart === "clock" ? clockWindow : firstRequestWindow;
}
function fixedWindow(startFor) {
  const algorithm = {
    refresh(window, nowSeconds) {
      const { startSeconds, lengthSeconds } = window;
      const over = nowSeconds >= startSeconds + lengthSeconds || nowSeconds < startSeconds;
      if (startSeconds !== notStarted && over) {
        window.startSeconds = notStarted;
        window.used = 0;
      }
      const start = window.startSeconds === notStarted ? startFor(window, nowSeconds) : window.startSeconds;
      window.remaining = Math.max(0, window.limit - window.used);
      window.resetAtSeconds = start + lengthSeconds;
    },
    count(window, nowSeconds, requests = 1) {
      if (window.startSeconds === notStarted) window.startSeconds = startFor(window, nowSeconds);
      window.used += requests;
      algorithm.refresh(window, nowSeconds);
    },
    preset(window, requests, startSeconds) {
      window.startSeconds = startFor(window, startSeconds);
      window.used = requests;
    }
  };
  return algorithm;
}
var firstRequestWindow = fixedWindow((_, nowSeconds) => nowSeconds);
var clockWindow = fixedWindow(({ lengthSeconds }, nowSeconds) => nowSeconds - nowSeconds % lengthSeconds);
var slidingLog = {
  refresh(window, nowSeconds) {
    const { lengthSeconds, limit: limit2, log } = window;
    for (; (log[window.logStart]?.[0] ?? nowSeconds) + lengthSeconds <= nowSeconds; window.logStart++) {
      window.used -= log[window.logStart]?.[1];
    }
    while (log.length > window.logStart && log.at(-1)?.[0] > nowSeconds)
      window.used -= log.pop()?.[1];
    if (window.logStart * 2 > log.length) window.logStart -= log.splice(0, window.logStart).length;
    window.remaining = Math.max(0, limit2 - window.used);
    window.resetAtSeconds = lengthSeconds + (nthOldest(window, Math.max(1, window.used - limit2 + 1)) ?? nowSeconds);
  },
  count(window, nowSeconds, requests = 1) {
    const newest = window.log.at(-1);
    if (newest?.[0] === nowSeconds) newest[1] += requests;
    else window.log.push([nowSeconds, requests]);
    window.used += requests;
    slidingLog.refresh(window, nowSeconds);
  },
  preset(window, requests, startSeconds) {
    window.log = requests > 0 ? [[startSeconds, requests]] : [];
    window.logStart = 0;
    window.used = requests;
  }
};
function nthOldest({ log, logStart }, n) {
  let seen = 0;
  for (let at = logStart; at < log.length; at++) {
    const [second, requests] = log[at];
    seen += requests;
    if (seen >= n) return second;
  }
  return void 0;
}
var tokenBucket = {
  refresh(window, nowSeconds) {
    const { limit: limit2, lengthSeconds } = window;
    if (window.startSeconds !== notStarted) {
      const elapsedSeconds = Math.max(0, nowSeconds - window.startSeconds);
      window.used = Math.max(0, window.used - elapsedSeconds * limit2);
      window.startSeconds = nowSeconds;
    }
    const filled = limit2 * lengthSeconds - window.used;
    window.remaining = Math.max(0, Math.floor(filled / lengthSeconds));
    const untilNextToken = (window.remaining + 1) * lengthSeconds - filled;
    window.resetAtSeconds = nowSeconds + Math.ceil(untilNextToken / limit2);
  },
  count(window, nowSeconds, requests = 1) {
    window.startSeconds = nowSeconds;
    window.used += requests * window.lengthSeconds;
    tokenBucket.refresh(window, nowSeconds);
  },
  preset(window, requests, startSeconds) {
    window.startSeconds = startSeconds;
    window.used = requests * window.lengthSeconds;
  }
};

// src/rate-limits/api-key.ts
var withWindows = (key, minute, day) => ({
  key: key.key,
  plan: key.plan,
  state: key.state,
  expiresAtMs: key.expiresAtMs,
  minute,
  day,
  preset: key.preset && { ...key.preset, usage: { ...key.preset.usage } },
  episode: key.episode && { ...key.episode },
  episodes: key.episodes,
  strikes: key.strikes,
  bans: key.bans,
  bannedFromMs: key.bannedFromMs,
  bannedUntilMs: key.bannedUntilMs,
  banCause: key.banCause,
  backgroundSeconds: key.backgroundSeconds
});
function createApiKey(key, { plan, state, expiresAtMs, expiresInMs, usage, bannedForMs }, limits2, windowSeconds2, nowMs, clockMovedMs) {
  const hasPreset = usage.minute + usage.day + bannedForMs > 0 || expiresInMs !== void 0;
  return {
    key,
    plan,
    state,
    expiresAtMs,
    minute: createWindow(limits2.minute, windowSeconds2.minute),
    day: createWindow(limits2.day, windowSeconds2.day),
    preset: hasPreset ? { usage, bannedForMs, expiresInMs, clockMovedMs } : void 0,
    episode: void 0,
    episodes: 0,
    strikes: 0,
    bans: 0,
    bannedFromMs: 0,
    bannedUntilMs: 0,
    banCause: "set",
    backgroundSeconds: Math.floor(nowMs / 1e3)
  };
}
function applyPreset(key, algorithm, nowMs, clockMovedMs) {
  const { preset } = key;
  if (preset === void 0) return;
  key.preset = void 0;
  const startMs2 = nowMs - Math.max(0, clockMovedMs - preset.clockMovedMs);
  const startSeconds = Math.floor(startMs2 / 1e3);
  key.backgroundSeconds = Math.max(key.backgroundSeconds, startSeconds);
  if (preset.usage.minute > 0) algorithm.preset(key.minute, preset.usage.minute, startSeconds);
  if (preset.usage.day > 0) algorithm.preset(key.day, preset.usage.day, startSeconds);
  if (preset.bannedForMs > 0) startBan(key, startMs2, preset.bannedForMs, "set");
  if (preset.expiresInMs !== void 0) {
    key.expiresAtMs = Math.min(key.expiresAtMs ?? Number.POSITIVE_INFINITY, startMs2 + preset.expiresInMs);
  }
}
var revoke = (key) => {
  key.state = "revoked";
};
function setUsage(key, algorithm, usage, nowMs) {
  for (const name of ["minute", "day"]) {
    const used = usage[name];
    if (used !== void 0) algorithm.preset(key[name], used, Math.floor(nowMs / 1e3));
  }
}
function refresh(key, algorithm, nowMs) {
  const nowSeconds = Math.floor(nowMs / 1e3);
  algorithm.refresh(key.minute, nowSeconds);
  algorithm.refresh(key.day, nowSeconds);
  if (nowMs < key.bannedFromMs) liftBan(key);
  if (key.episode !== void 0 && nowMs < key.episode.firstRefusalMs) endEpisode(key);
}
function countServed(key, algorithm, nowSeconds) {
  countBoth(key, algorithm, nowSeconds, 1);
  endEpisode(key);
}
function countRefused(key, algorithm, rejectedCounts, nowSeconds) {
  if (rejectedCounts === "none") return;
  const windows = [key.minute, key.day];
  const counting = rejectedCounts === "all" ? windows : windows.filter((window) => window.remaining > 0);
  for (const window of counting) algorithm.count(window, nowSeconds);
}
function noteRefusal(key, settings, nowMs, promisedAtSeconds) {
  const { episode } = key;
  if (episode === void 0) {
    key.episode = { firstRefusalMs: nowMs, promisedAtSeconds };
    key.episodes++;
    return "refused";
  }
  const pastGrace = nowMs > episode.firstRefusalMs + settings.banGraceMs;
  const isEarly = nowMs < episode.promisedAtSeconds * 1e3 - settings.banToleranceMs;
  episode.promisedAtSeconds = promisedAtSeconds;
  if (!pastGrace || !isEarly) return "refused";
  key.strikes++;
  if (settings.banAfter === 0 || key.strikes < settings.banAfter) return "strike";
  startBan(key, nowMs, banLengthMs(settings, key.bans + 1), "strikes");
  return "ban";
}
function startBan(key, nowMs, lengthMs, cause) {
  const fromMs = Math.floor(nowMs / 1e3) * 1e3;
  key.bans++;
  key.bannedFromMs = fromMs;
  key.bannedUntilMs = fromMs + lengthMs;
  key.banCause = cause;
  key.episode = void 0;
  if (key.preset !== void 0) key.preset = { ...key.preset, bannedForMs: 0 };
}
function extendBan(key, settings, nowMs) {
  if (!settings.banExtend) return;
  const untilMs = Math.floor(nowMs / 1e3) * 1e3 + banLengthMs(settings, key.bans);
  key.bannedUntilMs = Math.max(key.bannedUntilMs, untilMs);
}
function liftBan(key) {
  key.bannedFromMs = 0;
  key.bannedUntilMs = 0;
  key.strikes = 0;
  if (key.preset !== void 0) key.preset = { ...key.preset, bannedForMs: 0 };
}
var exactBackgroundSeconds = 8 * 86400;
function applyBackground(key, algorithm, perSecond, nowMs) {
  const nowSeconds = Math.floor(nowMs / 1e3);
  let second = key.backgroundSeconds;
  key.backgroundSeconds = nowSeconds;
  const start = nowSeconds - exactBackgroundSeconds;
  if (second < start) {
    const servedPerSecond = Math.min(perSecond, key.minute.limit / key.minute.lengthSeconds);
    const seconds2 = Math.min(start - second, key.day.lengthSeconds);
    countBackground(key, algorithm, start, Math.floor(servedPerSecond * seconds2), "day");
    second = start;
  }
  while (++second <= nowSeconds) {
    const requests = Math.floor(perSecond * second) - Math.floor(perSecond * (second - 1));
    if (requests === 0 || second * 1e3 < key.bannedUntilMs) continue;
    countBackground(key, algorithm, second, requests);
    if (key.minute.remaining === 0) second = Math.max(second, key.minute.resetAtSeconds - 1);
    if (key.day.remaining === 0) second = Math.max(second, key.day.resetAtSeconds - 1);
  }
}
function countBackground(key, algorithm, second, requests, only) {
  const { minute, day } = key;
  algorithm.refresh(minute, second);
  algorithm.refresh(day, second);
  const served = Math.min(requests, day.remaining, only === void 0 ? minute.remaining : Number.POSITIVE_INFINITY);
  if (served <= 0) return;
  if (only === void 0) countBoth(key, algorithm, second, served);
  else algorithm.count(day, second, served);
}
function countBoth(key, algorithm, nowSeconds, requests) {
  algorithm.count(key.minute, nowSeconds, requests);
  algorithm.count(key.day, nowSeconds, requests);
}
function endEpisode(key) {
  key.episode = void 0;
  key.strikes = 0;
}
function banLengthMs({ banSeconds, banEscalation }, n) {
  if (banEscalation === false) return banSeconds * 1e3;
  return Math.ceil(Math.min(banSeconds * banEscalation.factor ** (n - 1), banEscalation.maxSeconds)) * 1e3;
}

// src/rate-limits/key-registry.ts
var maximumUnlistedKeys = 1e4;
var KeyRegistry = class {
  #options;
  #keys = /* @__PURE__ */ new Map();
  #unlisted = /* @__PURE__ */ new Map();
  /** The texts of all keys by the hashes in their ids, from the first lookup of an id on. */
  #textsByHash;
  #texts;
  /** The key of the last request: to compare its text takes less than to look it up. */
  #last;
  constructor(options, nowMs) {
    this.#options = options;
    this.reset(nowMs);
  }
  /** Sets other keys, plans and rules. They apply from the next `reset` or `restore` on. */
  configure(options) {
    this.#options = options;
  }
  get plans() {
    return this.#options.plans;
  }
  get algorithm() {
    return this.#options.algorithm;
  }
  /** The keys that the scenario or `add` named, in their order. */
  list() {
    return this.#keys.values();
  }
  /** The texts of these keys. The same array until they change. */
  get texts() {
    this.#texts ??= Object.freeze([...this.#keys.keys()]);
    return this.#texts;
  }
  /** The texts of the keys that requests made up under `acceptAnyKey`, the oldest first. */
  get unlistedTexts() {
    return [...this.#unlisted.keys()];
  }
  /** A key that the scenario or `add` named, or that a request made up under `acceptAnyKey`. */
  get(text2) {
    if (this.#last?.key !== text2) this.#last = this.#keys.get(text2) ?? this.#unlisted.get(text2);
    return this.#last;
  }
  /** The text of the key with this text, or else with this id. */
  textOf(reference) {
    if (this.get(reference) !== void 0) return reference;
    const hash = hashOfKeyId(reference);
    if (hash === void 0) return void 0;
    this.#textsByHash ??= new Map(
      [...this.#keys.keys(), ...this.#unlisted.keys()].map((text3) => [keyHash(text3), text3])
    );
    const text2 = this.#textsByHash.get(hash);
    return text2 !== void 0 && keyId(text2) === reference ? text2 : void 0;
  }
  /** The key of a request; under `acceptAnyKey` any text is one, on the free plan. */
  find(text2, nowMs) {
    const known2 = this.get(text2);
    if (known2 !== void 0 || !this.#options.acceptAnyKey) return known2;
    if (this.#unlisted.size >= maximumUnlistedKeys) {
      const [oldest] = this.#unlisted.keys();
      this.#unlisted.delete(oldest);
      this.#textsByHash?.delete(keyHash(oldest));
    }
    const key = this.#create(text2, unusedFreeKey, nowMs);
    this.#unlisted.set(text2, key);
    return key;
  }
  /** Adds a key, or replaces the one with the same text. @throws {RangeError} when there is no such plan */
  add(text2, definition, nowMs) {
    const key = this.#create(text2, { ...unusedFreeKey, ...definition }, nowMs);
    this.#unlisted.delete(text2);
    this.#keys.set(text2, key);
    this.#texts = void 0;
    this.#last = void 0;
    return key;
  }
  /** Brings a key up to date before a request: its preset, then what other clients used with it until now. */
  bringUpToDate(key, nowMs) {
    const { algorithm, background, clockMovedMs } = this.#options;
    if (key.preset !== void 0) applyPreset(key, algorithm, nowMs, clockMovedMs());
    const perSecond = background.get(key.key);
    if (perSecond !== void 0) applyBackground(key, algorithm, perSecond, nowMs);
  }
  /** The key as a request would find it now. A copy, so that looking changes nothing. */
  preview(key, nowMs) {
    const copy = copyKey(key);
    this.bringUpToDate(copy, nowMs);
    refresh(copy, this.#options.algorithm, nowMs);
    return copy;
  }
  /** Goes back to the keys of the scenario as they were at its start: unused, unless it says otherwise. */
  reset(nowMs) {
    if (this.#options.start !== void 0) {
      this.restore(inOneGo(copyKeys(this.#options.start)));
      return;
    }
    this.#texts = void 0;
    this.#last = void 0;
    this.#unlisted = /* @__PURE__ */ new Map();
    this.#keys = /* @__PURE__ */ new Map();
    this.#textsByHash = void 0;
    for (const [text2, definition] of this.#options.definitions) {
      this.#keys.set(text2, this.#create(text2, definition, nowMs));
    }
  }
  state() {
    return { keys: [...this.#keys.values()].map(copyKey), unlisted: [...this.#unlisted.values()].map(copyKey) };
  }
  /** @param state keys that nothing else changes: `copyKeys` of those that are kept */
  restore({ keys, unlisted }) {
    this.#texts = void 0;
    this.#last = void 0;
    this.#keys = new Map(keys.map((key) => [key.key, key]));
    this.#unlisted = new Map(unlisted.map((key) => [key.key, key]));
    this.#textsByHash = void 0;
  }
  #create(text2, definition, nowMs) {
    const { plans, windowSeconds: windowSeconds2, clockMovedMs } = this.#options;
    const { plan } = definition;
    const limits2 = Object.hasOwn(plans, plan) ? plans[plan] : void 0;
    if (limits2 === void 0) {
      const expected = Object.keys(plans).join(", ");
      throw new RangeError(`Failed to add a key: expected a plan (${expected}), got ${JSON.stringify(plan)}`);
    }
    this.#textsByHash?.set(keyHash(text2), text2);
    return createApiKey(text2, definition, limits2, windowSeconds2, nowMs, clockMovedMs());
  }
};
var unusedFreeKey = {
  plan: "free",
  state: "active",
  usage: { minute: 0, day: 0 },
  bannedForMs: 0
};
function* copyKeys({ keys, unlisted }) {
  return { keys: yield* mapInSteps(keys, copyKey), unlisted: yield* mapInSteps(unlisted, copyKey) };
}
var copyKey = (key) => withWindows(key, copyWindow(key.minute), copyWindow(key.day));
var copyWindow = (window) => ({
  limit: window.limit,
  lengthSeconds: window.lengthSeconds,
  startSeconds: window.startSeconds,
  used: window.used,
  // Mostly empty; a call of `map` takes as long as the rest.
  log: window.log.length === 0 ? [] : window.log.map(([second, requests]) => [second, requests]),
  logStart: window.logStart,
  remaining: window.remaining,
  resetAtSeconds: window.resetAtSeconds
});

// src/scenario/resolve-content.ts
function* resolveContent(...[scenario, ...more]) {
  if (typeof scenario === "string") {
    const how = "import it from 'petstore-sim/scenarios/NAME.json', or await readScenario(NAME) of petstore-sim/node";
    throw new ScenarioError([issueAt([], `expected a map, got ${JSON.stringify(scenario)}; ${how}`)]);
  }
  return yield* resolveInSteps(scenario, ...more);
}

// src/simulator/client-error.ts
var mostMistakes = 10;
function clientError(thrown, settings) {
  const message = messageOf(thrown);
  if (message === void 0) return void 0;
  const { status: status2, body } = errorOutcome(invalidRequest(message), settings);
  return { status: status2, headers: { "Content-Type": "application/json" }, body };
}
function messageOf(thrown) {
  if (thrown instanceof Error && thrown.name === "JsonError") return `The body is not valid JSON: ${thrown.message}.`;
  const isPet = thrown instanceof ScenarioError && thrown.subject === "pet";
  return isPet ? thrown.message.split("\n").slice(0, mostMistakes).join("; ") : void 0;
}

// src/simulator/faults.ts
function createFaults(rules2) {
  return {
    list: () => rules2.list().map(({ rule, seen, applied }) => ({ name: rule.name, definition: rule.definition, seen, applied })),
    add(fault) {
      const rule = toFaultRule(checkFault(fault), rules2.freeName());
      rules2.add(rule);
      return rule.name;
    },
    remove: (name) => rules2.remove(name)
  };
}

// src/simulator/frozen-clock-notice.ts
var toleranceMs2 = 50;
var mostKeys = 1e3;
function createFrozenClockNotice(clock, warn) {
  const refusals = /* @__PURE__ */ new Map();
  let isTold2 = false;
  const tell = (what, waitMs) => {
    if (isTold2) return;
    isTold2 = true;
    clock.onStandstill = void 0;
    warn(
      `petstore-sim: ${what}, because the clock of the simulator is frozen. It moves by sim.clock.advance('${waitMs}ms'), over HTTP by POST /__sim/clock. For a client that waits by itself let it run: leave out mode: 'frozen' in the scenario's clock, or call sim.clock.resume(). A running clock follows the fake timers of a test.`
    );
  };
  clock.onStandstill = (waitMs) => tell(`an answer that is delayed by ${waitMs} ms does not come`, waitMs);
  return ({ status: status2, key, headers }) => {
    if (isTold2 || status2 < 400 || key === void 0) return;
    const waitMs = Number(headers[retryAfterHeader]) * 1e3;
    if (!(waitMs > 0)) return;
    const next = { stoodMs: clock.stoodMs, waitMs };
    const last = refusals.get(key);
    if (last !== void 0 && next.stoodMs - last.stoodMs >= last.waitMs - toleranceMs2) {
      tell(
        `the key ${maskedKey(key)} was refused again after it had waited ${last.waitMs / 1e3} s as Retry-After says`,
        last.waitMs
      );
    }
    if (refusals.size >= mostKeys) refusals.clear();
    refusals.set(key, next);
  };
}

// src/simulator/journal.ts
var queryFields = {
  operation: true,
  method: true,
  status: true,
  key: true,
  since: true,
  text: true
};
function createJournal(journal, now) {
  return {
    get size() {
      return journal.size;
    },
    get dropped() {
      return journal.dropped;
    },
    get pending() {
      return journal.pending;
    },
    get outcomes() {
      return journal.outcomes;
    },
    get outages() {
      return journal.outages;
    },
    report: ({ call, result }) => journal.report({ call, result, atMs: now() }),
    query(query = {}) {
      checkOptions("sim.journal.query", query, queryFields);
      return journal.query(query).map((record) => ({ ...record, headers: { ...record.headers } }));
    },
    listen: (listener) => journal.listen(listener),
    clear: () => journal.clear()
  };
}

// src/simulator/keys.ts
function createKeys(registry, clock) {
  const find = (text2) => {
    const key = registry.get(text2);
    if (key !== void 0) return key;
    throw new RangeError(`Failed to find the key: expected a known API key, got ${JSON.stringify(text2)}`);
  };
  const info = (key) => toInfo(registry.preview(key, clock.now()), clock.now());
  return {
    list: () => [...registry.list()].map(info),
    get texts() {
      return registry.texts;
    },
    get unlisted() {
      return registry.unlistedTexts;
    },
    get: (text2) => info(find(text2)),
    add: (text2, input = {}) => info(registry.add(text2, checkKey(text2, input, registry.plans), clock.now())),
    revoke: (text2) => revoke(find(text2)),
    ban: (text2, duration2) => startBan(find(text2), clock.now(), parseDuration(duration2), "set"),
    unban: (text2) => liftBan(find(text2)),
    setUsage(text2, usage) {
      const key = find(text2);
      checkUsage(key, usage);
      const nowMs = clock.now();
      registry.bringUpToDate(key, nowMs);
      setUsage(key, registry.algorithm, usage, nowMs);
    }
  };
}
function toInfo(key, nowMs) {
  const isExpired = key.expiresAtMs !== void 0 && nowMs >= key.expiresAtMs;
  const isBanned = nowMs < key.bannedUntilMs;
  return {
    key: key.key,
    id: keyId(key.key),
    plan: key.plan,
    state: key.state === "revoked" ? "revoked" : isExpired ? "expired" : isBanned ? "banned" : "active",
    minute: windowInfo(key.minute),
    day: windowInfo(key.day),
    strikes: key.strikes,
    ...isBanned && { bannedUntil: new Date(key.bannedUntilMs).toISOString() }
  };
}
var windowInfo = ({ limit: limit2, remaining, resetAtSeconds }) => ({ limit: limit2, remaining, resetAtSeconds });
function checkUsage(key, usage) {
  for (const [name, used] of Object.entries(usage)) {
    if (used === void 0) continue;
    if (name !== "minute" && name !== "day") {
      throw new RangeError(`Failed to set the usage: expected minute or day, got ${JSON.stringify(name)}`);
    }
    if (!Number.isInteger(used) || used < 0 || used > key[name].limit) {
      const expected = `a whole number from 0 to ${key[name].limit}`;
      throw new RangeError(`Failed to set the usage: expected ${expected}, got ${String(used)}`);
    }
  }
}

// src/simulator/pets.ts
function createPets(store) {
  return {
    get size() {
      return store.size;
    },
    get: (id) => store.get(normalizeInteger(id)),
    list: (query) => store.list(query),
    count: (status2) => store.count(status2),
    add: (pet) => store.add(checkWith(petSchema, pet, "pet")),
    update: (id, changes) => store.update(normalizeInteger(id), checkWith(petChangesSchema, changes, "pet")),
    remove: (id) => store.remove(normalizeInteger(id))
  };
}

// src/faults/inject-fault.ts
var beforeDelay = ({ phase }, run) => phase === "after" ? run() : void 0;
function injectFault({ effect, phase, name }, first, run) {
  const isAnswered4 = effect.kind !== "none" && phase === "before";
  return corrupt(first ?? (isAnswered4 ? emptyOutcome : run()), effect, name);
}
var readable = ["none", "respond", "ban"];
function makesUnreadable({ effect }, method) {
  if (method === "HEAD") return effect.kind === "wire" && isWithoutAnswer(effect.wire);
  return effect.kind === "wire" ? effect.wire.kind !== "drip" : !readable.includes(effect.kind);
}
function corrupt(outcome, effect, name) {
  const { status: status2, body } = outcome;
  switch (effect.kind) {
    case "none":
    // Refused before the delay of the rule.
    case "ban":
      return outcome;
    case "respond":
      return {
        status: effect.status,
        body: effect.body ?? defaultBody(effect.status, name),
        headers: effect.headers
      };
    case "malformed":
      return { ...outcome, body: `${body.slice(0, -1)},` };
    case "empty":
      return { ...outcome, body: "" };
    case "html":
      return { ...outcome, body: htmlPage(status2), headers: { ...outcome.headers, "Content-Type": "text/html" } };
    case "truncateFraction":
      return { ...outcome, wire: { kind: "truncate", bytes: Math.floor(byteLength(body) * effect.fraction) } };
    case "wire":
      return { ...outcome, wire: effect.wire };
  }
}
function defaultBody(status2, name) {
  if (status2 < 400) return "";
  const code = { 401: "unauthorized", 404: "not_found", 429: "rate_limit_exceeded", 503: "service_unavailable" }[status2];
  const message = `The fault rule "${name}" answered this request.`;
  return errorBody({ status: status2, code: code ?? (status2 < 500 ? "invalid_request" : "internal_error"), message });
}
var byteLength = (text2) => new TextEncoder().encode(text2).length;

// src/rate-limits/rate-report.ts
var isExhausted = (key) => key.minute.remaining === 0 || key.day.remaining === 0;
function reportServed(key, reportedWindow) {
  if (reportedWindow !== "least-remaining") return report(key[reportedWindow], reportedWindow);
  const { minute, day } = key;
  const isDay = day.remaining < minute.remaining || day.remaining === minute.remaining && day.resetAtSeconds > minute.resetAtSeconds;
  return isDay ? report(day, "day") : report(minute, "minute");
}
var reportRefused = (key) => reportServed(key, "least-remaining");
function reportBanned(key, reportedWindow) {
  const resets = [key.minute, key.day].filter(({ remaining }) => remaining === 0).map((window2) => window2.resetAtSeconds);
  const resetAtSeconds = Math.max(Math.ceil(key.bannedUntilMs / 1e3), ...resets);
  const window = isExhausted(key) ? reportRefused(key) : reportServed(key, reportedWindow);
  return { ...window, remaining: 0, resetAtSeconds };
}
function reportUnauthorized(limit2, lengthSeconds, unauthorizedHeaders, nowSeconds) {
  if (unauthorizedHeaders === "omit") return void 0;
  const remaining = unauthorizedHeaders === "remaining-zero" ? 0 : limit2;
  return { limit: limit2, remaining, resetAtSeconds: nowSeconds + lengthSeconds, window: "minute" };
}
function report({ limit: limit2, remaining, resetAtSeconds }, window) {
  return { limit: limit2, remaining, resetAtSeconds, window };
}

// src/rate-limits/admission.ts
function admit(key, algorithm, settings, nowMs, { isLimited: isLimited2, counts }) {
  const nowSeconds = Math.floor(nowMs / 1e3);
  refresh(key, algorithm, nowMs);
  if (nowMs < key.bannedUntilMs) {
    extendBan(key, settings, nowMs);
    return refuseBanned(key, settings, nowSeconds, false);
  }
  if (!isLimited2 || !isExhausted(key)) {
    if (isLimited2 && counts) countServed(key, algorithm, nowSeconds);
    return { rate: reportServed(key, settings.reportedWindow), refusal: void 0, isStrike: false };
  }
  countRefused(key, algorithm, settings.rejectedCounts, nowSeconds);
  const rate = reportRefused(key);
  const noted = noteRefusal(key, settings, nowMs, rate.resetAtSeconds);
  if (noted === "ban") return refuseBanned(key, settings, nowSeconds, true);
  const { limit: limit2, window, resetAtSeconds } = rate;
  const message = `The ${key.plan} plan allows ${counted(limit2, "request")} ${per(key[window].lengthSeconds, window)}; retry in ${counted(resetAtSeconds - nowSeconds, "second")}.`;
  return { rate, refusal: new ApiError(429, "rate_limit_exceeded", message), isStrike: noted === "strike" };
}
function refuseBanned(key, settings, nowSeconds, isStrike) {
  const rate = reportBanned(key, settings.reportedWindow);
  const cause = key.banCause === "strikes" ? " because requests went on after a 429" : "";
  const message = `The API key is banned${cause}; retry in ${counted(rate.resetAtSeconds - nowSeconds, "second")}.`;
  return { rate, refusal: keyBanned(settings.banStatus, message), isStrike };
}
var per = (lengthSeconds, window) => lengthSeconds === windowSeconds[window] ? `a ${window}` : `in ${counted(lengthSeconds, "second")}`;

// src/rate-limits/authentication.ts
var bearer = /^bearer +[^\s,]+$/i;
function readToken(authorization) {
  if (authorization === void 0 || authorization === "") {
    throw unauthorized('The Authorization header is missing; send "Authorization: Bearer <API_KEY>".', false);
  }
  if (!bearer.test(authorization)) {
    throw unauthorized('The Authorization header is not of the form "Bearer <API_KEY>".', false);
  }
  return authorization.slice(authorization.lastIndexOf(" ") + 1);
}
function findKey(token, find) {
  const key = find(token);
  if (key === void 0) throw unauthorized("The API key is unknown.", true);
  return key;
}
function requireValid({ state, expiresAtMs }, nowMs) {
  if (state === "revoked") throw unauthorized("The API key was revoked.", true);
  if (expiresAtMs !== void 0 && nowMs >= expiresAtMs) throw unauthorized("The API key has expired.", true);
}

// src/requests/service.ts
var refusedMatch = (refusal) => ({
  operation: void 0,
  isWrite: false,
  params: void 0,
  refusal,
  headers: void 0
});

// src/clock/machine-time.ts
var MachineTime = class {
  /** The last reading, and that of a time that nobody can set. */
  #lastMs = 0;
  #lastMonotonicMs = 0;
  /** By how much the time was set back in all. */
  #setBackMs = 0;
  now() {
    const machineMs = Date.now();
    const monotonicMs = performance.now();
    if (machineMs < this.#lastMs) {
      this.#setBackMs += this.#lastMs + Math.max(0, monotonicMs - this.#lastMonotonicMs) - machineMs;
    }
    this.#lastMs = machineMs;
    this.#lastMonotonicMs = monotonicMs;
    return machineMs + this.#setBackMs;
  }
  restart() {
    this.#lastMs = 0;
    this.#setBackMs = 0;
  }
};

// src/clock/simulated-clock.ts
var ResetError = class extends Error {
  name = "ResetError";
  message = "The simulator was reset.";
};
var longestTimerMs = 2 ** 31 - 1;
var standstillMs = 1e3;
var SimulatedClock = class {
  #time;
  #start = {};
  /** The function of the machine's time that the clock is now. */
  anchor = { anchorMs: 0, machineMs: 0, frozen: false, movedMs: 0 };
  /** Completed whenever the clock is moved, and when the next of its instants has come. */
  waiting;
  /** Called when a wait has lasted a second of the machine's time on a frozen clock. */
  onStandstill;
  #sleepers = /* @__PURE__ */ new Set();
  #timer;
  #isUnref = false;
  constructor(start = {}, time = new MachineTime()) {
    this.#time = time;
    this.configure(start);
  }
  /** Starts again from other settings. */
  configure(start) {
    this.#start = start;
    this.reset();
  }
  now() {
    const { anchorMs, machineMs, frozen } = this.anchor;
    if (frozen) return anchorMs;
    return Math.min(latestMs, Math.floor(anchorMs + (this.#time.now() - machineMs) * this.#speed));
  }
  get movedMs() {
    return this.anchor.movedMs;
  }
  get #speed() {
    return this.#start.speed ?? 1;
  }
  /** How many waits are under way. */
  get sleepers() {
    return this.#sleepers.size;
  }
  /** The next instant that a sleeper or a delayed request waits for; Infinity: none. */
  nextDueMs() {
    const ofSleepers = Array.from(this.#sleepers, ({ dueMs }) => dueMs);
    return Math.min(this.waiting?.nextDueMs() ?? Number.POSITIVE_INFINITY, ...ofSleepers);
  }
  get frozen() {
    return this.anchor.frozen;
  }
  /** How much of the machine's time has passed since the clock was frozen or moved; 0 while it runs. */
  get stoodMs() {
    return this.frozen ? this.#time.now() - this.anchor.machineMs : 0;
  }
  advance(duration2) {
    this.#moveTo(this.now() + parseDuration(duration2, Number.POSITIVE_INFINITY));
  }
  set(instant2) {
    this.#moveTo(parseInstant(instant2));
  }
  freeze() {
    this.#run(this.now(), true);
  }
  resume() {
    this.#run(this.now(), false);
  }
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener("abort", abort);
      };
      const abort = () => {
        sleeper.giveUp(signal?.reason);
        this.#wake();
      };
      const sleeper = {
        dueMs: this.now() + ms,
        wake: () => {
          leave();
          resolve();
        },
        giveUp: (reason) => {
          leave();
          reject(reason);
        }
      };
      this.#sleepers.add(sleeper);
      if (signal?.aborted) return abort();
      signal?.addEventListener("abort", abort);
      this.#wake();
    });
  }
  /** From now on no wait keeps a process of Node alive. */
  unref() {
    this.#isUnref = true;
    this.#timer?.unref?.();
  }
  /** To be called when what waits has another next instant. */
  rearm() {
    this.#wake();
  }
  /** Goes back to how the scenario started it. */
  reset() {
    this.#endWaits();
    this.#time.restart();
    const machineMs = this.#time.now();
    const { startMs: startMs2 = machineMs, skewMs = 0, mode } = this.#start;
    this.anchor.movedMs = 0;
    this.#run(Math.floor(Math.min(latestMs, Math.max(0, startMs2 + skewMs))), mode === "frozen", machineMs);
  }
  state() {
    const { frozen, movedMs } = this.anchor;
    return { nowMs: this.now(), frozen, movedMs };
  }
  restore({ nowMs, frozen, movedMs }) {
    this.#endWaits();
    this.anchor.movedMs = movedMs;
    this.#run(nowMs, frozen);
  }
  #endWaits() {
    for (const sleeper of this.#sleepers) sleeper.giveUp(new ResetError());
    this.waiting?.giveUp();
  }
  #moveTo(instantMs) {
    if (!(instantMs >= 0 && instantMs <= latestMs)) {
      throw new RangeError("Failed to move the clock: expected an instant of the years 1970 to 9999");
    }
    this.anchor.movedMs += Math.floor(instantMs) - this.now();
    this.#run(Math.floor(instantMs), this.frozen);
  }
  /** Goes on from an instant. */
  #run(anchorMs, frozen, machineMs = this.#time.now()) {
    Object.assign(this.anchor, { anchorMs, machineMs, frozen });
    this.waiting?.complete(this.now());
    this.#wake();
  }
  /** Wakes in time order those whose instant has come, and sets one timer for the next. */
  #wake() {
    clearTimeout(this.#timer);
    const nowMs = this.now();
    const waiting = this.#time.isLogged ? void 0 : this.waiting;
    waiting?.complete(nowMs);
    const sleepers = [...this.#sleepers].sort((a, b) => a.dueMs - b.dueMs);
    for (const sleeper of sleepers) if (sleeper.dueMs <= nowMs) sleeper.wake();
    const nextSleeper = sleepers.find(({ dueMs }) => dueMs > nowMs);
    const never = Number.POSITIVE_INFINITY;
    const nextMs = Math.min(waiting?.nextDueMs() ?? never, nextSleeper?.dueMs ?? never);
    if (nextMs === never) return;
    const waitMs = Math.ceil((nextMs - nowMs) / this.#speed);
    if (this.frozen) this.#watchStandstill(nextMs - nowMs);
    else this.#timer = setTimeout(() => this.#wake(), Math.min(waitMs, longestTimerMs));
    if (this.#isUnref) this.unref();
  }
  #watchStandstill(waitMs) {
    if (this.onStandstill === void 0) return;
    this.#timer = setTimeout(this.onStandstill, standstillMs, waitMs);
  }
};

// src/simulator/to-record.ts
var unanswered = { status: 0, headers: {}, body: "" };
function toRecord({
  id,
  call,
  match,
  isLimited: isLimited2,
  nowMs,
  key,
  plan,
  strikes,
  episode,
  isStrike,
  rate,
  refusal,
  fault,
  storedId,
  isOrphaned
}, { status: status2, headers, body }, answeredAtMs, lastArrivedId, assumption) {
  const authorization = call.header("authorization");
  return {
    id,
    arrivedAtMs: call.arrivedAtMs ?? nowMs,
    answeredAtMs,
    finishedAtMs: answeredAtMs,
    isAbandoned: isOrphaned,
    lastArrivedId,
    heldMs: 0,
    token: key ?? authorization?.slice(authorization.lastIndexOf(" ") + 1),
    plan,
    operation: match.operation,
    isWrite: match.isWrite,
    method: call.method,
    baseUrl: call.baseUrl,
    path: call.path,
    query: call.query,
    status: status2,
    requestBody: call.body && toJsonBytes(call.body),
    responseBody: call.method === "HEAD" ? "" : body,
    headers,
    window: rate?.window,
    rate,
    refusal,
    promisedAtMs: refusal && rate && rate.resetAtSeconds * 1e3,
    strikes,
    isStrike,
    isLimited: key !== void 0 && isLimited2,
    episode,
    storedId,
    fault: fault?.name,
    isUnreadable: status2 === 0 || fault !== void 0 && makesUnreadable(fault, call.method),
    assumption,
    connection: call.connection,
    client: call.header("user-agent"),
    call: call.header("x-sim-call")
  };
}

// src/simulator/delayed-requests.ts
function createDelayedRequests({ clock, journal, delayed }, finish) {
  const waiters = /* @__PURE__ */ new Map();
  const settle = (id, answer, reason) => {
    waiters.get(id)?.(answer, reason);
    waiters.delete(id);
  };
  function complete(nowMs) {
    while ((delayed[0]?.dueMs ?? Number.POSITIVE_INFINITY) <= nowMs) {
      const request = delayed.shift();
      settle(request.exchange.id, finish(request));
    }
  }
  function leave(id, reason) {
    const position = delayed.findIndex(({ exchange }) => exchange.id === id);
    const [left] = position < 0 ? [] : delayed.splice(position, 1);
    if (left === void 0) return;
    journal.add(toRecord(left.exchange, unanswered, clock.now(), journal.lastId));
    settle(id, void 0, reason);
    clock.rearm();
  }
  function add(request, signal) {
    const { id } = request.exchange;
    const isBehind = ({ dueMs }) => dueMs <= request.dueMs;
    delayed.splice(delayed.findLastIndex(isBehind) + 1, 0, request);
    const answered = new Promise((resolve, reject) => {
      waiters.set(id, (answer, reason) => answer === void 0 ? reject(reason) : resolve(answer));
    });
    if (signal !== void 0) {
      const abort = () => leave(id, signal.reason);
      const stop = () => signal.removeEventListener("abort", abort);
      signal.addEventListener("abort", abort);
      answered.then(stop, stop);
      if (signal.aborted) abort();
    }
    clock.rearm();
    return answered;
  }
  clock.waiting = {
    nextDueMs: () => delayed[0]?.dueMs ?? Number.POSITIVE_INFINITY,
    complete,
    giveUp() {
      for (const { exchange } of delayed.splice(0)) {
        journal.abandon(exchange.id);
        settle(exchange.id, void 0, new ResetError());
      }
    }
  };
  return { add, complete, leave };
}

// src/simulator/limit-headers.ts
function rateWithoutKey({ plans, windowSeconds: windowSeconds2, settings }, nowMs) {
  const { minute } = plans.free ?? documentedPlans.free;
  return reportUnauthorized(minute, windowSeconds2.minute, settings.unauthorizedHeaders, Math.floor(nowMs / 1e3));
}

// src/simulator/refusals.ts
function createRefusals() {
  let message;
  let status2;
  let settings;
  let last;
  return (error, current) => {
    if (last === void 0 || error.message !== message || error.status !== status2 || current !== settings) {
      ({ message, status: status2 } = error);
      settings = current;
      last = { ...errorOutcome(error, current), isRefusal: true, bodyKey: {} };
    }
    return last;
  };
}

// src/simulator/request-pipeline.ts
function isLimited(operation, { limitsApply }) {
  if (typeof limitsApply === "string") return limitsApply === "all";
  return operation !== void 0 && limitsApply.includes(operation);
}
var RequestPipeline = class {
  #state;
  #onError;
  #refuse = createRefusals();
  delayed;
  constructor(state, onError) {
    this.#state = state;
    this.#onError = onError;
    this.delayed = createDelayedRequests(
      state,
      ({ dueMs, exchange, rule, first }) => this.#answer(
        exchange,
        injectFault(rule, first, () => this.#runOperation(exchange)),
        dueMs
      )
    );
  }
  /** Answers one call: at once, or after the delay of a fault rule. */
  handle(call) {
    const state = this.#state;
    const { journal } = state;
    const nowMs = state.clock.now();
    const id = journal.open();
    if (state.delayed.length > 0) this.delayed.complete(nowMs);
    const { resolved } = state;
    let service;
    let match;
    try {
      for (const mounted of state.services) {
        service = mounted.service;
        if (service.basePath === (call.basePath ?? basePath)) match = service.find(call, resolved, nowMs);
        if (match !== void 0) break;
      }
    } catch (error) {
      match = refusedMatch(this.#toApiError(error));
    }
    match ??= refusedMatch(notFound(`There is no operation ${call.method} ${call.path}.`));
    const exchange = {
      id,
      call,
      resolved,
      match,
      service: service?.name,
      isLimited: isLimited(match.operation, resolved.settings),
      nowMs,
      key: void 0,
      plan: void 0,
      strikes: 0,
      episode: 0,
      isStrike: false,
      rate: void 0,
      refusal: void 0,
      fault: void 0,
      storedId: void 0,
      isOrphaned: false
    };
    const outcome = this.#decide(exchange);
    return "dueMs" in outcome ? this.delayed.add(outcome, call.signal) : this.#answer(exchange, outcome, nowMs, call.arrivedBehind);
  }
  /** What the request leads to, or how it goes on after a delay. Never throws. */
  #decide(exchange) {
    const { call, resolved, match, nowMs } = exchange;
    const { settings } = resolved;
    const { faults } = this.#state;
    let fault;
    let bannedKey;
    try {
      const key = this.#authenticate(call.header("authorization"), nowMs);
      exchange.key = key.key;
      exchange.plan = key.plan;
      if (faults.size > 0 && match.refusal === void 0)
        fault = faults.match(this.#faultRequest(exchange, key), nowMs);
      const counts = fault?.rule?.countsQuota ?? true;
      const refused = this.#look(exchange, key, counts);
      if (refused !== void 0) return refused;
      bannedKey = fault?.rule?.effect.kind === "ban" ? key : void 0;
    } catch (error) {
      exchange.rate ??= rateWithoutKey(resolved, nowMs);
      return this.#failure(error, settings);
    }
    if (match.refusal !== void 0) return errorOutcome(match.refusal, settings);
    fault?.commit();
    if (fault?.rule === void 0) return this.#runOperation(exchange);
    const { rule, delayMs } = fault;
    exchange.fault = rule;
    const first = bannedKey ? this.#ban(exchange, bannedKey, rule) : beforeDelay(rule, () => this.#runOperation(exchange));
    if (delayMs === 0) return injectFault(rule, first, () => this.#runOperation(exchange));
    return { dueMs: Math.ceil(nowMs + delayMs), exchange, rule, first };
  }
  /** Ban, then limit. @returns the refusal, if the request is refused */
  #look(exchange, key, counts) {
    const { resolved, nowMs, isLimited: isLimited2 } = exchange;
    const admission = admit(key, this.#state.keys.algorithm, resolved.settings, nowMs, { isLimited: isLimited2, counts });
    exchange.rate = admission.rate;
    exchange.isStrike = admission.isStrike;
    exchange.strikes = key.strikes;
    exchange.episode = key.episodes;
    if (admission.refusal === void 0) return void 0;
    exchange.refusal = admission.refusal.code === "key_banned" ? "ban" : "limit";
    return this.#refuse(admission.refusal, resolved.settings);
  }
  /** Bans the key of a request, and refuses the request for it. */
  #ban(exchange, key, { effect }) {
    if (effect.kind === "ban") startBan(key, exchange.nowMs, effect.forMs, "set");
    return this.#look(exchange, key, false);
  }
  /** The key of a request, brought up to date. @throws {ApiError} 401 */
  #authenticate(authorization, nowMs) {
    const { keys, shared } = this.#state;
    const key = findKey(shared.readToken(authorization), (token) => keys.find(token, nowMs));
    keys.bringUpToDate(key, nowMs);
    requireValid(key, nowMs);
    return key;
  }
  #runOperation(exchange) {
    const { call, resolved, match } = exchange;
    try {
      const { service, data } = this.#mounted(exchange);
      const outcome = service.run(call, match, { data, scenario: resolved, nowMs: this.#state.clock.now() });
      exchange.storedId = outcome.storedId;
      return outcome;
    } catch (error) {
      return this.#failure(error, resolved.settings);
    }
  }
  /** The properties of a request that fault rules compare. */
  #faultRequest(exchange, { key, plan }) {
    const { call, match } = exchange;
    const { method, path, query, body } = call;
    return {
      operation: match.operation ?? "",
      method,
      key,
      plan,
      values: this.#mounted(exchange).service.conditions?.(call, match) ?? {},
      callText: () => `${key} ${method} ${path}?${query} ${new TextDecoder().decode(body)}`
    };
  }
  /** @throws {Error} if a log was written with a service that is missing now */
  #mounted({ service: name }) {
    const mounted = this.#state.services.find(({ service }) => service.name === name);
    if (mounted === void 0) throw new Error(`Failed to serve a request: expected a service ${name}, got none`);
    return mounted;
  }
  #failure(error, settings) {
    return errorOutcome(this.#toApiError(error), settings);
  }
  /** The error to respond with. Reports each error that is not one. */
  #toApiError(error) {
    if (error instanceof ApiError) return error;
    this.#onError(error);
    return new ApiError(500, "internal_error", "The simulator failed; this is a bug of the simulator.");
  }
  /** @param atMs the instant of the headers: of the request, or of the end of its delay */
  #answer(exchange, outcome, atMs, arrivedBehind = 0) {
    const { id, call, resolved, match, key, plan, rate, fault } = exchange;
    const { settings, hostileHeaders: hostile, windowSeconds: windowSeconds2 } = resolved;
    const { clock, journal, shared } = this.#state;
    const { status: status2, isRefusal = false, wire } = outcome;
    const more = match.headers === void 0 ? outcome.headers : { ...match.headers, ...outcome.headers };
    const nowSeconds = Math.floor(atMs / 1e3);
    const headers = shared.writeHeaders({ nowSeconds, rate, isRefusal, settings, windowSeconds: windowSeconds2, hostile, more });
    const asksToWait2 = status2 === 401 || status2 === 429 || status2 === 503 || isRefusal;
    const isPage = isRefusal && hostile?.html === true;
    const isHeld = call.holdsRefusals && asksToWait2 && wire === void 0;
    const finished = {
      status: status2,
      headers: call.adapterHeaders === void 0 ? headers : { ...headers, ...call.adapterHeaders },
      body: isPage ? htmlPage(status2) : outcome.body,
      // A fault may have changed the text.
      bodyKey: fault === void 0 && !isPage ? outcome.bodyKey : void 0,
      operation: match.operation,
      key,
      plan,
      fault: fault?.name,
      wire,
      sent: isHeld ? (heldMs, nowMs = clock.now()) => journal.complete(id, { answeredAtMs: nowMs, finishedAtMs: nowMs, lastArrivedId: journal.lastId, heldMs }) : void 0,
      finish: wire?.kind === "drip" ? (isWhole) => journal.complete(id, { finishedAtMs: clock.now(), isAbandoned: !isWhole }) : void 0
    };
    const record = toRecord(exchange, finished, atMs, journal.lastId + arrivedBehind, outcome.assumption);
    if (isHeld) journal.hold(record);
    else journal.add(record);
    return finished;
  }
  /**
   * Authenticates and counts a request that an extension serves.
   * @returns the 401 or 429 to answer with, or an empty 200 with the headers for the answer
   */
  admitExtension(authorization) {
    const { resolved, clock, keys, shared } = this.#state;
    const { settings, hostileHeaders: hostile } = resolved;
    const nowMs = clock.now();
    let key;
    let rate;
    let outcome = emptyOutcome;
    try {
      key = this.#authenticate(authorization, nowMs);
      const options = { isLimited: isLimited(void 0, settings), counts: true };
      const admission = admit(key, keys.algorithm, settings, nowMs, options);
      rate = admission.rate;
      if (admission.refusal) outcome = this.#refuse(admission.refusal, settings);
    } catch (error) {
      rate ??= rateWithoutKey(resolved, nowMs);
      outcome = this.#failure(error, settings);
    }
    const { status: status2, body, isRefusal = false, headers: more } = outcome;
    return {
      status: status2,
      headers: shared.writeHeaders({
        nowSeconds: Math.floor(nowMs / 1e3),
        rate,
        isRefusal,
        settings,
        windowSeconds: resolved.windowSeconds,
        hostile,
        more
      }),
      body: isRefusal && hostile?.html ? htmlPage(status2) : body,
      operation: void 0,
      key: key?.key,
      plan: key?.plan,
      fault: void 0,
      wire: void 0
    };
  }
};

// src/simulator/scenario-view.ts
var createScenarioView = (sourceOf) => ({
  get name() {
    return sourceOf(this).state.resolved.name;
  },
  get scenario() {
    return frozenCopy(sourceOf(this).state.resolved.scenario);
  },
  get scenarios() {
    return sourceOf(this).readScenarios();
  },
  get settings() {
    return sourceOf(this).state.resolved.settings;
  }
});

// src/journal/journal-budget.ts
var defaultLimitBytes = 64 * 1024 * 1024;
var freedShare = 1 / 16;
var JournalBudget = class {
  #limitBytes;
  /** Weak, so that a fork that nobody uses any more is freed. */
  #members = /* @__PURE__ */ new Set();
  #bytes = 0;
  constructor(limitBytes = defaultLimitBytes) {
    this.#limitBytes = limitBytes;
  }
  join(member) {
    this.#members.add(new WeakRef(member));
  }
  /** Forgets a member that nobody reads any more. */
  leave(member) {
    for (const reference of this.#members) if (reference.deref() === member) this.#members.delete(reference);
    this.#bytes -= member.bytes;
  }
  /** Reports that a member has grown, or shrunk by a negative number. */
  add(bytes) {
    this.#bytes += bytes;
    if (bytes > 0 && this.#bytes > this.#limitBytes) this.#free();
  }
  /** Cuts the largest journals to one size, so that a server with many sandboxes does not come back for each of them. */
  #free() {
    const members = this.#living();
    this.#bytes = members.reduce((total, { bytes }) => total + bytes, 0);
    if (this.#bytes <= this.#limitBytes) return;
    let left = this.#limitBytes * (1 - freedShare) - this.#bytes;
    for (const [index, { bytes }] of members.entries()) {
      left += bytes;
      const most = left / (index + 1);
      if (most < (members[index + 1]?.bytes ?? 0)) continue;
      for (const member of members.slice(0, index + 1)) member.drop(member.bytes - most);
      return;
    }
  }
  /** Those that are still there, the largest first. */
  #living() {
    const members = [];
    for (const reference of this.#members) {
      const member = reference.deref();
      if (member === void 0) this.#members.delete(reference);
      else members.push(member);
    }
    return members.sort((a, b) => b.bytes - a.bytes);
  }
};

// src/journal/record-bytes.ts
function cutBodies(entry, most) {
  const requestBody = entry.requestBody && cutBytes(entry.requestBody, most);
  const responseBody = cutBytes(entry.responseBody, most);
  if (requestBody === entry.requestBody && responseBody === entry.responseBody) return entry;
  return { ...entry, requestBody, responseBody };
}
var recordBytes = 500;
var bytesOf = ({ requestBody, responseBody, token, method, path, query, call }) => recordBytes + lengthOf(requestBody) + responseBody.length + method.length + path.length + query.length + (token?.length ?? 0) + (call?.length ?? 0);
var lengthOf = (bytes = "") => typeof bytes === "string" ? bytes.length : bytes.base64.length;

// src/journal/journal.ts
var defaultLimits = { entries: 1e4, bytes: 20 * 1024 * 1024, bodyBytes: 64 * 1024 };
var mostOutcomes = 1e3;
var RequestJournal = class {
  /**
   * @param onError called with what a listener throws
   * @param budget shared with other journals
   */
  constructor(onError, limits2 = {}, budget = new JournalBudget()) {
    this.budget = budget;
    this.#onError = onError;
    this.#limits = { ...defaultLimits, ...limits2 };
    budget.join(this);
  }
  budget;
  #onError;
  #limits;
  #listeners = /* @__PURE__ */ new Set();
  /** Records in the order of their responses, from `#start` on; those before it are dropped. */
  #records = [];
  #start = 0;
  #bytes = 0;
  /** The id of the request that arrived last; 0 before the first. */
  lastId = 0;
  /** How many requests have arrived that are not answered yet. */
  pending = 0;
  /** The records whose answers are held back, by id. */
  held = /* @__PURE__ */ new Map();
  /** How many records were added since the start: the number of the next one. */
  added = 0;
  /** How many entries were dropped since the start or the last `clear`. */
  dropped = 0;
  /** What clients said of their own calls, the newest last; the oldest are dropped past a limit. */
  outcomes = [];
  /** When requests were refused that are not recorded, the newest last. */
  outages = [];
  /** Requests that are in no record. */
  unrecorded = new Unrecorded();
  /** Requests up to this id arrived before the last `clear` and are not recorded. */
  clearedId = 0;
  /** About how much memory the records take. */
  get bytes() {
    return this.#bytes;
  }
  get size() {
    return this.#records.length - this.#start;
  }
  /** How many listeners there are. */
  get listeners() {
    return this.#listeners.size;
  }
  /** Counts a request that has arrived and gives its id. */
  open() {
    this.pending++;
    return ++this.lastId;
  }
  /** Forgets a request that will never be answered. */
  abandon(id) {
    if (id > this.clearedId) this.pending--;
  }
  /** Adds the record of a request, drops the oldest ones past the limits, and calls the listeners. */
  add(entry) {
    if (entry.id <= this.clearedId) return;
    const kept = cutBodies(entry, this.#limits.bodyBytes);
    const bytes = bytesOf(kept);
    this.pending--;
    this.added++;
    if (this.size === this.#limits.entries) this.#drop();
    this.#records.push(kept);
    this.#grow(bytes);
    while (this.#bytes > this.#limits.bytes && this.size > 1) this.#drop();
    for (const listener of this.#listeners) {
      try {
        listener(kept);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
  /** Keeps a record back until `complete`: its answer is not sent yet. */
  hold(entry) {
    if (entry.id > this.clearedId) this.held.set(entry.id, entry);
  }
  /** Notes when and how an answer was sent; without an effect when its entry is gone. */
  complete(id, delivery) {
    const held = this.held.get(id);
    if (held !== void 0) {
      this.held.delete(id);
      this.add({ ...held, ...delivery });
      return;
    }
    const at = this.#records.findLastIndex((record) => record?.id === id);
    if (at >= 0) this.#records[at] = { ...this.#records[at], ...delivery };
  }
  report(outcome) {
    this.outcomes = [...this.outcomes.slice(-mostOutcomes), outcome];
  }
  /** Kept records from a number on, in the order in which they were added. */
  read(from, most) {
    const first = Math.max(0, from - this.added + this.size);
    return this.#kept(this.#start + first, this.#start + first + most);
  }
  /** The kept entries in the order in which they were answered. They never change. */
  get entries() {
    return this.#kept();
  }
  /** The entries that match a query, in the order of their arrival. */
  query(query = {}) {
    return this.filter((entry) => meetsQuery(entry, query));
  }
  /** The entries that match a condition, in the order of their arrival. */
  filter(matches) {
    return this.#kept().filter(matches).sort((one, other) => one.id - other.id);
  }
  /** The entry with the highest id that matches a condition. */
  latest(matches) {
    let latest;
    for (const entry of this.#kept()) if (entry.id > (latest?.id ?? 0) && matches(entry)) latest = entry;
    return latest;
  }
  /** Calls `listener` for every record from now on; the function it gives stops that. */
  listen(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
  /** Forgets all requests, those that wait for their answer too. */
  clear() {
    this.outcomes = [];
    this.outages = [];
    this.held.clear();
    this.unrecorded.clear();
    this.#records = [];
    this.#start = 0;
    this.#grow(-this.#bytes);
    this.dropped = 0;
    this.pending = 0;
    this.clearedId = this.lastId;
  }
  /** Drops the oldest records until `bytes` are freed or one is left. */
  drop(bytes) {
    const enough = this.#bytes - bytes;
    while (this.#bytes > enough && this.size > 1) this.#drop();
  }
  #grow(bytes) {
    this.#bytes += bytes;
    this.budget.add(bytes);
  }
  #kept(from = this.#start, to) {
    return this.#records.slice(from, to);
  }
  #drop() {
    const oldest = this.#records[this.#start];
    this.#records[this.#start++] = void 0;
    if (this.#start > this.#records.length / 2) {
      this.#records = this.#records.slice(this.#start);
      this.#start = 0;
    }
    this.#grow(-bytesOf(oldest));
    this.dropped++;
  }
};
function meetsQuery(entry, { operation, method, status: status2, key, since: since2, text: text2 }) {
  return (operation === void 0 || entry.operation === operation) && (method === void 0 || entry.method === method) && (status2 === void 0 || entry.status === status2) && (key === void 0 || entry.token === key || entry.token?.slice(-4) === key) && (since2 === void 0 || entry.id > since2) && (text2 === void 0 || contains(entry, text2));
}
var contains = ({ path, query, requestBody, responseBody, fault }, text2) => path.includes(text2) || query.includes(text2) || responseBody.includes(text2) || (fault ?? "").includes(text2) || requestBody !== void 0 && textOfBytes(requestBody).includes(text2);

// src/petstore/list-cache.ts
var maximumLists = 100;
var ListCache = class {
  #lists = /* @__PURE__ */ new WeakMap();
  /**
   * Gives the list for a query: the cached one, or what `read` gives. Clients ask for the same few lists again and again,
   * and the journal then holds one text for all of them.
   * @param content stands for the pets in their order
   */
  find(content, settings, query, read2) {
    const lists = this.#listsOf(content, settings);
    let list2 = lists.get(query);
    if (list2 === void 0) {
      if (lists.size >= maximumLists) lists.clear();
      list2 = { ...read2(), bodyKey: {} };
      lists.set(query, list2);
    }
    return list2;
  }
  #listsOf(content, settings) {
    let bySettings = this.#lists.get(content);
    if (bySettings === void 0) {
      bySettings = /* @__PURE__ */ new WeakMap();
      this.#lists.set(content, bySettings);
    }
    let lists = bySettings.get(settings);
    if (lists === void 0) {
      lists = /* @__PURE__ */ new Map();
      bySettings.set(settings, lists);
    }
    return lists;
  }
};

// src/values/lowest.ts
function lowest(count2, holds) {
  let low = 0;
  let high = count2;
  while (low < high) {
    const middle = low + high >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

// src/petstore/pet-stock.ts
function fillStock(all) {
  const byStatus = { available: [], pending: [], sold: [] };
  for (const pet of all) if (pet.status !== void 0) byStatus[pet.status].push(pet);
  return { all, byStatus };
}
var copyStock = ({ all, byStatus: { available, pending, sold } }) => ({
  all: [...all],
  byStatus: { available: [...available], pending: [...pending], sold: [...sold] }
});

// src/petstore/pet-store.ts
var PetStore = class _PetStore {
  #compare = byId;
  #newestFirst = false;
  #idStart = 1;
  /** The pets of the scenario; never changed. */
  #seedStock = fillStock([]);
  #stock = this.#seedStock;
  #nextId = 1;
  constructor(seedPets, options) {
    this.seed(seedPets, options);
  }
  /** Starts again from other pets. */
  seed(seedPets, { order, seed, idStart }) {
    this.#setOrder(order, seed);
    this.#seedStock = fillStock([...seedPets].sort(this.#compare));
    const highest = seedPets.reduce((most, { id }) => compareInt64(id, most) > 0 ? id : most, 0);
    this.#idStart = idStart ?? firstIdAfter(highest);
    this.reset();
  }
  /** Lists the pets in another order from now on. */
  reorder(order, seed) {
    const isSeed = this.#stock === this.#seedStock;
    this.#setOrder(order, seed);
    this.#seedStock = fillStock([...this.#seedStock.all].sort(this.#compare));
    this.#stock = isSeed ? this.#seedStock : fillStock([...this.#stock.all].sort(this.#compare));
  }
  /** Another store that starts from the same pets; they are shared until one of the stores changes them. */
  fork() {
    const fork = new _PetStore([], { order: "id-ascending", seed: 0 });
    fork.#compare = this.#compare;
    fork.#newestFirst = this.#newestFirst;
    fork.#seedStock = this.#seedStock;
    fork.#idStart = this.#idStart;
    fork.reset();
    return fork;
  }
  /** Stands for the pets in their order: another object after every change, the same one while forks share their pets. */
  get content() {
    return this.#stock;
  }
  get size() {
    return this.#stock.all.length;
  }
  /** Whether they are the pets of the scenario, unchanged. */
  isSeed = () => this.#stock === this.#seedStock;
  get(id) {
    const { all } = this.#stock;
    const firstId = all[0]?.id;
    const place = typeof id === "number" && typeof firstId === "number" ? id - firstId : -1;
    const guess2 = place >= 0 && place < all.length ? all[place] : void 0;
    const pet = guess2?.id === id ? guess2 : all[this.#firstFrom(all, { id })];
    return pet?.id === id ? pet : void 0;
  }
  /** Pets in list order. */
  list({ status: status2, limit: limit2 = Number.POSITIVE_INFINITY, skip = 0 } = {}) {
    const row = this.#row(status2);
    if (!this.#newestFirst) return row.slice(skip, skip + limit2);
    const end = Math.max(0, row.length - skip);
    return row.slice(Math.max(0, end - limit2), end).reverse();
  }
  /** How many pets have the status; without one, how many there are. */
  count(status2) {
    return this.#row(status2).length;
  }
  /** How many pets of the filtered list stand up to and including this id, stored or not: where a cursor goes on. */
  positionAfter(id, status2) {
    const row = this.#row(status2);
    const position = this.#firstFrom(row, { id });
    if (this.#newestFirst) return row.length - position;
    return row[position]?.id === id ? position + 1 : position;
  }
  /**
   * Stores a new pet.
   * @param pet with an `id` only to choose it; otherwise the next free one is given
   * @throws {RangeError} when the id is taken, or none is left up to the greatest int64
   */
  add(pet) {
    const id = pet.id ?? this.#freeId();
    if (this.get(id) !== void 0)
      throw new RangeError(`Failed to add a pet: expected a free id, got ${id}, which is taken`);
    const { name, categoryId, status: status2, extra } = pet;
    const added = toStored({ id, name, categoryId, status: status2, extra });
    const { all, byStatus } = this.#own();
    this.#place(all, added);
    if (added.status !== void 0) this.#place(byStatus[added.status], added);
    if (pet.id === void 0) this.#nextId = nextInt64(id);
    return added;
  }
  /** Replaces fields of a pet; `undefined` when there is none with this id. */
  update(id, changes) {
    const before = this.get(id);
    if (before === void 0) return void 0;
    const after = toStored({ ...before, ...changes, id });
    const { all, byStatus } = this.#own();
    all[this.#firstFrom(all, before)] = after;
    if (before.status !== void 0) this.#takeOut(byStatus[before.status], before);
    if (after.status !== void 0) this.#place(byStatus[after.status], after);
    return after;
  }
  /** Removes a pet; `false` when there is none with this id. */
  remove(id) {
    const pet = this.get(id);
    if (pet === void 0) return false;
    const { all, byStatus } = this.#own();
    this.#takeOut(all, pet);
    if (pet.status !== void 0) this.#takeOut(byStatus[pet.status], pet);
    return true;
  }
  /** Goes back to the pets of the scenario. */
  reset() {
    this.#stock = this.#seedStock;
    this.#nextId = this.#idStart;
  }
  /** Everything that a request can change. Stored pets are never changed, so a list of them is a snapshot. */
  state() {
    return { pets: this.#stock.all.slice(), nextId: this.#nextId };
  }
  restore(state) {
    this.#stock = fillStock([...state.pets].sort(this.#compare));
    this.#nextId = state.nextId;
  }
  #setOrder(order, seed) {
    this.#compare = order === "shuffled" ? byShuffle(seed) : byId;
    this.#newestFirst = order === "newest-first";
  }
  /** The stock to change. The pets of the scenario are shared, so they are copied first. */
  #own() {
    const { all, byStatus } = this.#stock;
    this.#stock = this.isSeed() ? copyStock(this.#stock) : { all, byStatus };
    return this.#stock;
  }
  #row(status2) {
    return status2 === void 0 ? this.#stock.all : this.#stock.byStatus[status2];
  }
  #place(row, pet) {
    const position = this.#firstFrom(row, pet);
    if (position === row.length) row.push(pet);
    else row.splice(position, 0, pet);
  }
  #takeOut(row, pet) {
    row.splice(this.#firstFrom(row, pet), 1);
  }
  /** The first position in a row whose pet does not come before `pet`. */
  #firstFrom(row, pet) {
    const last = row.at(-1);
    if (last === void 0 || this.#compare(last, pet) < 0) return row.length;
    return lowest(row.length, (at) => this.#compare(row[at], pet) >= 0);
  }
  /** The greatest int64 where none is free. */
  #freeId() {
    let id = this.#nextId;
    while (id !== greatestInt64 && this.get(id) !== void 0) id = nextInt64(id);
    return id;
  }
};
var firstIdAfter = (highest) => highest === greatestInt64 ? 1 : nextInt64(highest);
var byId = (a, b) => compareInt64(a.id, b.id);
var byShuffle = (seed) => (a, b) => seededFraction(seed, a.id) - seededFraction(seed, b.id) || byId(a, b);

// src/petstore/operation.ts
var isStatus = (value) => petStatuses.includes(value);
function describe(value) {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  if (typeof value === "string") return `the string ${quote(value)}`;
  if (typeof value === "boolean") return String(value);
  return `the number ${value}`;
}
var quote = (text2) => JSON.stringify(text2.length > 40 ? `${text2.slice(0, 40).toWellFormed()}\u2026` : text2);

// src/petstore/create-pet.ts
var createPet = (call, { pets: pets2, categories, settings }) => {
  checkContentType(call, settings);
  const body = readBody2(call);
  const { name, categoryId, status: status2 } = body;
  if (name === void 0) throw invalidRequest("name is missing; it is a required string.");
  if (typeof name !== "string") throw invalidRequest(`name is ${describe(name)}; it must be a string.`);
  if (name === "" && settings.emptyName === "reject") throw invalidRequest("name is empty.", "emptyName");
  if (categoryId === void 0) throw invalidRequest("categoryId is missing; it is a required int64.");
  if (!isInt64(categoryId)) {
    throw invalidRequest(`categoryId is ${describe(categoryId)}; it must be a whole number from -2^63 to 2^63-1.`);
  }
  if (settings.unknownCategory === "reject" && !categories.has(categoryId)) {
    throw invalidRequest(`categoryId ${categoryId} is not a known category.`, "unknownCategory");
  }
  if (status2 !== void 0 && !isStatus(status2)) {
    throw invalidRequest(`status is ${describe(status2)}; it must be one of ${petStatuses.join(", ")}.`);
  }
  const defaultStatus = settings.defaultStatus === "absent" ? void 0 : settings.defaultStatus;
  const extra = settings.unknownFields === "ignore" ? void 0 : unknownFields(body, settings);
  try {
    const pet = pets2.add({ name, categoryId, status: status2 ?? defaultStatus, extra });
    return { status: 201, body: pet.json, storedId: String(pet.id) };
  } catch (error) {
    throw error instanceof RangeError ? new ApiError(500, "internal_error", error.message) : error;
  }
};
var newPetFields = ["name", "categoryId", "status"];
function unknownFields(body, settings) {
  const unknown = Object.entries(body).filter(([field]) => !newPetFields.includes(field));
  const [first] = unknown;
  if (first !== void 0 && settings.unknownFields === "reject") {
    throw invalidRequest(`${quote(first[0])} is not a field of NewPet.`, "unknownFields");
  }
  return Object.fromEntries(unknown.filter(([field]) => field !== "id"));
}
var jsonType = /^application\/json\s*(?:;\s*(?:charset *= *"?utf-8"?\s*)?)*$/i;
function checkContentType(call, { contentType }) {
  if (contentType === "accept") return;
  const value = call.header("content-type");
  const encoding = call.header("content-encoding") ?? "identity";
  const isJson2 = value !== void 0 && jsonType.test(value.trim());
  if (isJson2 && encoding.toLowerCase() === "identity") return;
  const message = isJson2 ? `Content-Encoding is ${quote(encoding)}; the body must be sent as it is.` : `Content-Type is ${value === void 0 ? "missing" : quote(value)}; it must be application/json.`;
  const refuse = contentType === "unsupported" ? unsupportedMediaType : invalidRequest;
  throw refuse(message, "contentType");
}
function readBody2({ body }) {
  if (body === void 0 || body.length === 0) throw invalidRequest("The body is missing; send a NewPet as JSON.");
  if (body.length > maximumBodyBytes) throw payloadTooLarge(maximumBodyBytes);
  const value = readJson(decodeUtf8(body));
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw invalidRequest(`The body is ${describe(value)}; it must be a JSON object.`);
}
var decoder2 = new TextDecoder("utf-8", { fatal: true });
function decodeUtf8(body) {
  try {
    return decoder2.decode(body);
  } catch {
    throw invalidRequest("The body is not valid UTF-8.");
  }
}
function readJson(text2) {
  try {
    return parseJson(text2);
  } catch (error) {
    if (error instanceof JsonError) throw invalidRequest(`The body is not valid JSON: ${error.message}.`);
    throw error;
  }
}

// src/petstore/get-pet.ts
var getPet = (_call, { pets: pets2, settings }, petId) => {
  const id = parseInt64(petId);
  if (id === void 0 && settings.malformedPetId === "reject") {
    throw invalidRequest("petId is not a whole number from -2^63 to 2^63-1.", "malformedPetId");
  }
  const pet = id === void 0 ? void 0 : pets2.get(id);
  if (pet === void 0)
    throw notFound("There is no pet with this petId.", id === void 0 ? "malformedPetId" : void 0);
  return { status: 200, body: pet.json };
};

// src/petstore/list-pets.ts
var listPets = (call, context) => {
  const { pets: pets2, lists, settings } = context;
  if (settings.paging !== "none") return readList(call, context);
  return lists.find(pets2.content, settings, call.query, () => readList(call, context));
};
function readList(call, { pets: pets2, settings }) {
  const query = new URLSearchParams(call.query);
  if (settings.unknownQuery === "reject") rejectUnknownQuery(query, settings);
  const limit2 = readLimit(query, settings);
  const status2 = readStatusFilter(query, settings);
  if (status2 === "none") return { status: 200, body: "[]" };
  const skip = settings.paging === "none" ? 0 : readPage(query, settings.paging, pets2, limit2, status2);
  const page = pets2.list({ status: status2, limit: limit2, skip });
  const body = `[${page.map((pet) => pet.json).join(",")}]`;
  const next = skip + page.length;
  const last = page.at(-1);
  if (settings.paging === "none" || last === void 0 || next >= pets2.count(status2)) return { status: 200, body };
  const value = { cursor: `after-${last.id}`, offset: String(next), page: String(next / limit2 + 1) }[settings.paging];
  query.set(settings.paging, value);
  return { status: 200, body, headers: { Link: `<${call.baseUrl}/pets?${query}>; rel="next"` } };
}
function rejectUnknownQuery(query, { paging }) {
  for (const name of query.keys()) {
    if (name !== "limit" && name !== "status" && name !== paging) {
      throw invalidRequest(`${quote(name)} is not a query parameter of listPets.`, "unknownQuery");
    }
  }
}
function readLimit(query, { limitOutOfRange }) {
  const [text2, ...more] = query.getAll("limit");
  if (text2 === void 0) return listLimit.default;
  const isWhole = more.length === 0 && /^(?:0|-?[1-9][0-9]*)$/.test(text2);
  const value = isWhole ? Number(text2) : Number.NaN;
  if (value >= listLimit.minimum && value <= listLimit.maximum) return value;
  if (limitOutOfRange === "reject") {
    const found2 = more.length > 0 ? "given more than once" : quote(text2);
    throw invalidRequest(
      `limit is ${found2}; it must be a whole number from ${listLimit.minimum} to ${listLimit.maximum}.`,
      "limitOutOfRange"
    );
  }
  if (limitOutOfRange === "default" || Number.isNaN(value)) return listLimit.default;
  return Math.min(Math.max(value, listLimit.minimum), listLimit.maximum);
}
function readStatusFilter(query, { unknownStatusFilter }) {
  const [text2, ...more] = query.getAll("status");
  if (text2 === void 0) return void 0;
  if (more.length === 0 && isStatus(text2)) return text2;
  if (unknownStatusFilter === "empty") return "none";
  if (unknownStatusFilter === "ignore") return void 0;
  const found2 = more.length > 0 ? "given more than once" : quote(text2);
  throw invalidRequest(`status is ${found2}; it must be one of ${petStatuses.join(", ")}.`, "unknownStatusFilter");
}
function readPage(query, paging, pets2, limit2, status2) {
  const text2 = query.get(paging);
  if (text2 === null) return 0;
  if (paging === "cursor") {
    const id = text2.startsWith("after-") ? parseInt64(text2.slice("after-".length)) : void 0;
    if (id === void 0) throw invalidRequest("cursor is not one that a Link header gave.", "paging");
    return pets2.positionAfter(id, status2);
  }
  const least2 = paging === "page" ? 1 : 0;
  const value = /^[0-9]{1,15}$/.test(text2) ? Number(text2) : -1;
  if (value < least2)
    throw invalidRequest(`${paging} is ${quote(text2)}; it must be a whole number from ${least2}.`, "paging");
  return paging === "page" ? (value - 1) * limit2 : value;
}

// src/petstore/petstore.ts
var operations = { listPets, createPet, getPet };
var listMatch = found("listPets");
var createMatch = found("createPet", true);
var petsMethods = { GET: listMatch, HEAD: listMatch, POST: createMatch };
var petPath = /^\/pets\/([^/]+)$/;
var petstore = {
  name: "petstore",
  basePath,
  operations: operationNames,
  find({ method, path, baseUrl: baseUrl2 }, { settings }, nowMs) {
    if (path === "/pets") {
      const match = Object.hasOwn(petsMethods, method) ? petsMethods[method] : void 0;
      return match ?? refusedMatch(unknownMethod(method, ["GET", "POST"], settings));
    }
    const petId = petPath.exec(path)?.[1];
    if (petId === void 0) return refusedMatch(unknownRoute("unknownRoute"));
    const headers = settings.deprecation === "headers" ? deprecationHeaders(baseUrl2) : void 0;
    if (nowMs >= getPetRemovedAtMs && settings.afterRemoval !== "keep") {
      const refuse = settings.afterRemoval === "gone" ? gone : notFound;
      const message = "getPet was removed on 5 December 2030; use GET /pets with the status filter.";
      return { ...found("getPet"), params: { petId }, refusal: refuse(message, "afterRemoval"), headers };
    }
    if (method !== "GET" && method !== "HEAD") return refusedMatch(unknownMethod(method, ["GET"], settings));
    return { operation: "getPet", isWrite: false, params: { petId }, refusal: void 0, headers };
  },
  run(call, { operation, params }, { data: { pets: pets2, lists }, scenario: { categories, settings } }) {
    return operations[operation](call, { pets: pets2, lists, categories, settings }, params?.petId ?? "");
  },
  conditions({ query }, { operation, params }) {
    return {
      status: operation === "listPets" ? new URLSearchParams(query).get("status") : null,
      petId: params && parseInt64(params.petId ?? "")
    };
  }
};
function found(operation, isWrite2 = false) {
  return { operation, isWrite: isWrite2, params: void 0, refusal: void 0, headers: void 0 };
}
var unknownMethod = (method, allowed, { unknownMethod: unknownMethod2 }) => unknownMethod2 === "not-found" ? unknownRoute("unknownMethod") : methodNotAllowed(method, allowed);
var unknownRoute = (assumption) => notFound("There is no such path; the API has GET /pets, POST /pets and GET /pets/{petId}.", assumption);
var deprecationHeaders = (baseUrl2) => ({
  Deprecation: "@0",
  Sunset: sunset,
  Link: `<${baseUrl2}/pets>; rel="successor-version"`
});
var sunset = new Date(getPetRemovedAtMs).toUTCString();

// src/values/remember-last.ts
function rememberLast(make) {
  let last;
  return (value) => {
    if (last === void 0 || value !== last.value) last = { value, result: make(value) };
    return last.result;
  };
}

// src/rate-limits/draft-fields.ts
function draftFields(shape, { limit: limit2, remaining, resetAtSeconds, window }, nowSeconds, windowSeconds2) {
  const seconds2 = Math.max(0, resetAtSeconds - nowSeconds);
  if (shape === "legacy") {
    return {
      "RateLimit-Limit": String(limit2),
      "RateLimit-Remaining": String(remaining),
      "RateLimit-Reset": String(seconds2)
    };
  }
  const [quota, time] = shape === "structured-rt" ? ["r", "t"] : ["a", "w"];
  return {
    RateLimit: `"${window}";${quota}=${remaining};${time}=${seconds2}`,
    "RateLimit-Policy": `"${window}";q=${limit2};w=${windowSeconds2[window]}`
  };
}

// src/values/digits.ts
var group = 1e3;
function digitsOf(value) {
  if (value < group || !Number.isSafeInteger(value)) return String(value);
  return `${Math.floor(value / group)}${String(group + value % group).slice(1)}`;
}

// src/values/http-date.ts
var createHttpDate = () => rememberLast((seconds2) => new Date(seconds2 * 1e3).toUTCString());

// src/simulator/response-headers.ts
function createHeaderWriter() {
  const httpDate2 = createHttpDate();
  return ({ nowSeconds, rate, isRefusal, settings, windowSeconds: windowSeconds2, hostile, more }) => {
    const headers = { "Content-Type": "application/json", Date: httpDate2(nowSeconds) };
    if (rate !== void 0) {
      headers[rateLimitHeaders.limit] = String(rate.limit);
      headers[rateLimitHeaders.remaining] = digitsOf(rate.remaining);
      headers[rateLimitHeaders.reset] = String(rate.resetAtSeconds);
      if (settings.rateLimitFields !== "none") {
        const isPage = isRefusal && hostile?.html;
        if (!isPage) Object.assign(headers, draftFields(settings.rateLimitFields, rate, nowSeconds, windowSeconds2));
      }
      if (isRefusal) {
        const isDate2 = settings.retryAfterForm === "http-date";
        headers[retryAfterHeader] = isDate2 ? httpDate2(rate.resetAtSeconds) : String(rate.resetAtSeconds - nowSeconds);
        headers["Cache-Control"] = "no-store";
      }
    }
    if (hostile !== void 0 && rate !== void 0) {
      corruptHeaders(headers, { hostile, isRefusal, nowSeconds, resetAtSeconds: rate.resetAtSeconds, httpDate: httpDate2 });
    }
    for (const name in more) setHeader(headers, name, more[name]);
    return headers;
  };
}
function setHeader(headers, name, value) {
  const lower = name.toLowerCase();
  const present = Object.keys(headers).find((each) => each.toLowerCase() === lower) ?? name;
  if (value === null) delete headers[present];
  else Object.defineProperty(headers, present, { value, configurable: true, enumerable: true, writable: true });
}

// src/simulator/simulator-state.ts
var createSharedParts = () => ({
  lists: new ListCache(),
  writeHeaders: createHeaderWriter(),
  // Most requests of a client bring the same header.
  readToken: rememberLast(readToken),
  budget: new JournalBudget()
});
function createSimulatorState(resolved, onError, { pets: givenPets, shared = createSharedParts(), time, services = [] } = {}) {
  const clock = new SimulatedClock(resolved.clock, time);
  const nowMs = clock.now();
  const keys = new KeyRegistry(keyRegistryOptions(resolved, clock), nowMs);
  const pets2 = givenPets ?? new PetStore(resolved.pets, petStoreOptions(resolved));
  const faults = new FaultRules();
  faults.configure(resolved.faults, resolved.seed, resolved.start?.faults);
  faults.reset(nowMs);
  return {
    resolved,
    clock,
    pets: pets2,
    services: [
      ...services.map((service) => ({ service, data: service.data?.create(resolved) })),
      { service: petstore, data: { pets: pets2, lists: shared.lists } }
    ],
    keys,
    faults,
    journal: new RequestJournal(onError, {}, shared.budget),
    delayed: [],
    petsFrom: resolved,
    time,
    shared
  };
}
var forkSimulatorState = ({ resolved, pets: pets2, petsFrom, time, shared, services }, onError) => createSimulatorState(resolved, onError, {
  shared,
  time,
  services: addedServices(services),
  ...petsFrom === resolved && { pets: pets2.fork() }
});
var addedServices = (services) => services.map(({ service }) => service).filter((service) => service !== petstore);
var copyServices = ({ services }) => Object.fromEntries(
  services.flatMap(({ service: { name, data }, data: own }) => data === void 0 ? [] : [[name, data.write(own)]])
);
function restoreServices({ services, resolved }, copies2 = {}) {
  for (const mounted of services) {
    const { name, data } = mounted.service;
    const copy = Object.hasOwn(copies2, name) ? copies2[name] : void 0;
    if (data !== void 0) mounted.data = copy === void 0 ? data.create(resolved) : data.read(copy);
  }
}
function applyScenario(state, resolved, reseed) {
  configureScenario(state, resolved, reseed);
  const nowMs = state.clock.now();
  state.keys.reset(nowMs);
  state.faults.reset(nowMs);
}
function configureScenario(state, resolved, reseed) {
  const { clock, pets: pets2, keys, faults } = state;
  const before = state.resolved;
  if (reseed || JSON.stringify(resolved.clock) !== JSON.stringify(before.clock)) clock.configure(resolved.clock);
  if (reseed) {
    pets2.seed(resolved.pets, petStoreOptions(resolved));
    state.petsFrom = resolved;
  } else if (resolved.settings.listOrder !== before.settings.listOrder || resolved.seed !== before.seed) {
    pets2.reorder(resolved.settings.listOrder, resolved.seed);
  }
  state.resolved = resolved;
  if (reseed) restoreServices(state);
  keys.configure(keyRegistryOptions(resolved, clock));
  faults.configure(resolved.faults, resolved.seed, resolved.start?.faults);
}
var petStoreOptions = ({ settings, seed, idStart }) => ({
  order: settings.listOrder,
  seed,
  idStart
});
var keyRegistryOptions = ({ keys, plans, windowSeconds: windowSeconds2, settings, background, start }, clock) => ({
  start: start?.keys,
  definitions: keys,
  plans,
  windowSeconds: windowSeconds2,
  algorithm: windowAlgorithm(settings),
  acceptAnyKey: settings.acceptAnyKey,
  background,
  clockMovedMs: () => clock.movedMs
});

// src/simulator/simulator.ts
function createSimulatorFrom(resolved, {
  scenarios = {},
  generatePets,
  readStart,
  services = [],
  onError = console.error,
  onWarning = console.warn
}, time) {
  let byName;
  const readScenarios = () => {
    const given = () => typeof scenarios === "function" ? scenarios() : scenarios;
    byName ??= new Map(Object.entries({ default: defaultScenario, ...given() }));
    return byName;
  };
  return assemble(createSimulatorState(resolved, onError, { time, services }), {
    readScenarios,
    generatePets,
    readStart,
    onError,
    onWarning
  });
}
var coreKey = /* @__PURE__ */ Symbol.for("petstore-sim core");
var coreOf = (sim) => sim[coreKey];
var scenarioView = createScenarioView(coreOf);
function assemble(state, options) {
  const { clock, pets: pets2, keys, faults, journal, time, shared } = state;
  const { generatePets, readStart, onError, onWarning, readScenarios } = options;
  const pipeline = new RequestPipeline(state, onError);
  const noticeFrozen = createFrozenClockNotice(clock, onWarning);
  const handle = (call) => {
    const answer = pipeline.handle(call);
    if (clock.frozen && !(answer instanceof Promise)) noticeFrozen(answer);
    return answer;
  };
  const resolve = (scenario, checkAll) => resolveContent(scenario, generatePets, readStart, checkAll);
  const check2 = (scenario) => inOneGo(resolve(scenario));
  const forkFrom = (resolved, pets3) => assemble(
    createSimulatorState(resolved, onError, { pets: pets3, shared, time, services: addedServices(state.services) }),
    options
  );
  function* restoreInSteps(saved) {
    const savedKeys = yield* copyKeys(saved.keys);
    if (saved.petsFrom !== state.petsFrom) configureScenario(state, saved.petsFrom, true);
    if (saved.resolved !== state.resolved) configureScenario(state, saved.resolved, saved.resolved === saved.petsFrom);
    clock.restore(saved.clock);
    pets2.restore(saved.pets);
    restoreServices(state, saved.services);
    keys.restore(savedKeys);
    faults.restore(saved.faults);
  }
  const resetListeners = [];
  const fields2 = {
    clock,
    pets: createPets(pets2),
    keys: createKeys(keys, clock),
    faults: createFaults(faults),
    journal: createJournal(journal, () => clock.now()),
    handle,
    admit(authorization, { method, path } = { method: "", path: otherPaths }) {
      const answer = pipeline.admitExtension(authorization ?? void 0);
      const { "Content-Type": _, ...headers } = answer.headers;
      const refusal = answer.status === 200 ? void 0 : answer;
      journal.unrecorded.record({ why: "guarded", method, path, status: refusal?.status }, authorization);
      return { refusal, headers };
    },
    clientError: (thrown) => clientError(thrown, state.resolved.settings),
    fetch: createFetch({
      handle,
      clock,
      unrecorded: journal.unrecorded,
      basePaths: state.services.map(({ service }) => service.basePath)
    }),
    load(next, { reseed = false } = {}) {
      applyScenario(state, check2(next), reseed);
    },
    reset() {
      clock.reset();
      pets2.reset();
      restoreServices(state);
      const nowMs = clock.now();
      keys.reset(nowMs);
      faults.reset(nowMs);
      journal.clear();
      for (const listener of resetListeners) listener();
    },
    check: check2,
    snapshot: () => ({
      resolved: state.resolved,
      petsFrom: state.petsFrom,
      clock: clock.state(),
      pets: pets2.state(),
      services: copyServices(state),
      keys: keys.state(),
      faults: faults.state()
    }),
    restore: (saved) => inOneGo(restoreInSteps(saved)),
    snapshots: /* @__PURE__ */ new Map(),
    changes: { count: 0, last: [] },
    fork: ({ scenario } = {}) => scenario === void 0 ? assemble(forkSimulatorState(state, onError), options) : forkFrom(check2(scenario)),
    [coreKey]: { state, delayed: pipeline.delayed, readScenarios, resolve, restoreInSteps, forkFrom, resetListeners }
  };
  return Object.setPrototypeOf(fields2, scenarioView);
}

// src/judge/rules/overslept.ts
var leastMs = 1e4;
var share = 0.5;
var leastUnitErrorMs = 6e5;
var leastDateMs = 300 * 864e5;
var unitShare = 0.01;
var longestBackoffMs = 6e4;
var patienceMs = ({ deadlineMs = 0, answeredAtMs }) => Math.max(leastMs, (deadlineMs - answeredAtMs) * share);
var overslept = {
  needs: "wire",
  judge({ episodes }) {
    const woken = episodes.flatMap(wokenIn);
    const findings = woken.flatMap(({ request, refusal, deadlineMs, refusals }) => {
      const askedMs = deadlineMs - refusal.answeredAtMs;
      const lateMs2 = request.arrivedAtMs - deadlineMs;
      const backoffMs = Math.min(longestBackoffMs, Math.max(1e3, askedMs) * 2 ** refusals);
      const allowedMs = Math.max(patienceMs(refusal), refusals > 1 ? backoffMs : 0);
      if (lateMs2 <= allowedMs) return [];
      const waitedMs = lateMs2 + askedMs;
      const isSame3 = request.fingerprint === refusal.fingerprint;
      const isThousand = lateMs2 > leastUnitErrorMs && looksLikeThousand(waitedMs, refusal);
      const isUnitError = isSame3 && (isThousand || isDate(waitedMs, refusal));
      const advice3 = isThousand ? "That looks like milliseconds handed to a sleep that takes seconds." : "Check the unit of the wait, and whether a Unix time was taken for seconds.";
      return [
        finding("overslept", isUnitError ? "fail" : "warn", [request], {
          measured: `${span(lateMs2)} late`,
          allowed: span(allowedMs),
          text: isUnitError ? `Waited ${span(waitedMs)} where ${span(askedMs)} was asked for. ${advice3}` : `Came back ${span(lateMs2)} later than it could: it waited ${span(waitedMs)}, and ${span(askedMs)} was asked for. If it was not idle, look for a wait that is read or rounded wrongly.`
        })
      ];
    });
    return { exercised: woken.length > 0, findings };
  }
};
function wokenIn({ requests }) {
  const woken = [];
  let refusal;
  for (const [refusals, request] of requests.entries()) {
    const deadlineMs = refusal?.deadlineMs;
    if (refusal !== void 0 && request.lastRefusalRead === refusal && deadlineMs !== void 0 && request.arrivedAtMs >= deadlineMs)
      woken.push({ request, refusal, deadlineMs, refusals });
    refusal = request;
  }
  return woken;
}
function looksLikeThousand(waitedMs, { retryAfterMs }) {
  const ratio2 = waitedMs / (retryAfterMs ?? Number.NaN);
  return ratio2 >= 990 && ratio2 <= 1105;
}
var isNear = (ms, otherMs) => Math.abs(ms / otherMs - 1) <= unitShare;
var isDate = (waitedMs, { answeredAtMs }) => waitedMs >= leastDateMs || isNear(waitedMs, answeredAtMs / 1e3);

// src/judge/given-up.ts
var unknownWaitMs = 6e4;
var stoppedPatience = 3;
function isOverdue(failed, run) {
  const { isOver, pending, endMs, requests } = run;
  if (isOver && !run.end?.isInterrupted) return true;
  if (pending > 0 || requests.at(-1)?.lane.era !== failed.lane.era) return false;
  const patience = patienceMs(failed) * (run.end?.isInterrupted ? stoppedPatience : 1);
  return endMs > comesBackMs(failed) + patience;
}
var comesBackMs = ({ deadlineMs, answeredAtMs }) => deadlineMs ?? answeredAtMs + unknownWaitMs;
var orError = ", or an error for the caller";
function severityOfGivingUp(run, failed) {
  const reports = run.outcomes ?? [];
  const reported = new Set(reports.filter(({ result }) => result !== "succeeded").map(({ call }) => call));
  const isReported = reported.has(void 0) || failed.every(({ call }) => call !== void 0 && reported.has(call));
  if (isReported) return { severity: "info", told: "Its caller was told." };
  if (run.end?.isInterrupted) {
    const sinceMs2 = (instantOf) => span(run.endMs - Math.max(...failed.map(instantOf)));
    const told = failed.some(({ deadlineMs }) => deadlineMs !== void 0) ? `It had ${sinceMs2(comesBackMs)} for that after the wait, until the run was stopped.` : `The run was stopped ${sinceMs2(({ answeredAtMs }) => answeredAtMs)} later.${failed.some(({ isUnreadable }) => isUnreadable) ? " If it still waited for the answer, it needs a time limit of its own." : ""}`;
    return { severity: "info", told };
  }
  if (run.end?.hasFailed) return { severity: "info", told: "The command said so by its exit code." };
  if (run.end?.hasFailed === false) {
    return { severity: "warn", told: "The command ended as if all were well: tell the caller." };
  }
  return { severity: "info", told: "That is right only where the caller was told." };
}
var mostLooks = 50;
var known = /* @__PURE__ */ new WeakMap();
function obtainedIn({ requests }) {
  let obtained = known.get(requests);
  if (obtained === void 0) {
    obtained = new Obtained(requests);
    known.set(requests, obtained);
  }
  return obtained;
}
var Obtained = class {
  #requests;
  /** Made when it is first needed: most runs need none of it. */
  #read;
  constructor(requests) {
    this.#requests = requests;
  }
  /**
   * Whether the same was served later: a write from whatever key and with whatever else in its body, a read with another key.
   * Or whether the answer to a write was lost, and the client saw the pet when it looked after that, and after a refusal.
   */
  has(refused) {
    if (!isWrite(refused) && refused.method !== "GET") return false;
    this.#read ??= readOutcomes(this.#requests);
    const { served, lost, looks } = this.#read;
    const later2 = served.get(wanted(refused));
    if (later2 !== void 0 && later2.id > refused.id && (isWrite(refused) || later2.token !== refused.token))
      return true;
    const isLost2 = !refused.isRefused || (lost.get(refused.pet)?.id ?? refused.id) < refused.id;
    if (!isWrite(refused) || !isLost2) return false;
    const from = lowest(looks.length, (at) => looks[at].id > refused.id);
    return looks.slice(from, from + mostLooks).some((look) => look.client === refused.client && shows(look, refused));
  }
};
function readOutcomes(requests) {
  const served = requests.filter(isServed);
  const lost = requests.filter((request) => isWrite(request) && isUnknown(request)).reverse();
  return {
    served: new Map(served.map((request) => [wanted(request), request])),
    lost: new Map(lost.map((request) => [request.pet, request])),
    looks: served.filter(({ method }) => method === "GET")
  };
}
var wanted = (request) => isWrite(request) ? [request.call, request.pet].join("\n") : [request.client, request.call, target(request)].join("\n");
var shows = ({ responseBody }, { pet }) => responseBody.includes(`"name":${JSON.stringify(pet.split("\n", 1)[0])}`);

// src/judge/outages.ts
var absences = /* @__PURE__ */ new Set(["gave-up", "lost-write", "ignored-day-window"]);
function createIsHidden(requests, outages) {
  if (outages.length === 0) return () => false;
  const byId2 = new Map(requests.map((request) => [request.id, request]));
  return ({ code, requests: ids }) => {
    const blamed = ids.flatMap((id) => byId2.get(id) ?? []);
    const firstMs = Math.min(...blamed.map(sinceMs));
    const lastMs = absences.has(code) ? Number.POSITIVE_INFINITY : Math.max(...blamed.map(({ arrivedAtMs }) => arrivedAtMs));
    return outages.some(({ fromMs, toMs }) => firstMs <= toMs && lastMs >= fromMs);
  };
}
var sinceMs = ({ arrivedAtMs, lastRefusalRead, retryOf, retryOfOutage }) => Math.min(
  ...[lastRefusalRead, retryOf, retryOfOutage].map((before) => before?.arrivedAtMs ?? arrivedAtMs),
  arrivedAtMs
);
var mostTimes = 3;
function describeOutages(outages) {
  const refused = outages.reduce((sum, outage) => sum + outage.refused, 0);
  const times2 = joined(outages);
  const time = (ms) => new Date(ms).toISOString();
  const told = times2.slice(0, mostTimes).map(({ fromMs, toMs }) => `between ${time(fromMs)} and ${time(toMs)}`);
  if (times2.length > mostTimes) told.push(counted(times2.length - mostTimes, "more time"));
  const last = told.length > 1 ? ` and ${told.pop()}` : "";
  const lacks = refused === 0 ? "" : `: ${counted(refused, "request")} got a 503 that the journal does not show`;
  return `The store was away ${told.join(", ")}${last}${lacks || ", so the run is not known as a whole"}.`;
}
function joined(outages) {
  const times2 = [];
  for (const { fromMs, toMs } of [...outages].sort((a, b) => a.fromMs - b.fromMs)) {
    const last = times2.at(-1);
    if (last !== void 0 && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs);
    else times2.push({ fromMs, toMs });
  }
  return times2;
}

// src/judge/conclude.ts
var tellingRules = [
  "early-retry",
  "ban-hammered",
  "duplicate-write",
  "lost-write",
  "body-changed",
  "gave-up",
  "retried-401",
  "rounded-int64",
  "proactive"
];
var testableMs = 6e5;
var ifServed = {
  "gave-up": ": the scenario asks for the answer in the end",
  "lost-write": ": the scenario asks for it"
};
function escalated(found2, { served = false, fail = [] }) {
  const ending = ifServed[found2.code];
  const isAskedFor = served && ending !== void 0;
  const fails = isAskedFor || fail.includes(found2.code) && (ending === void 0 || found2.severity !== "info");
  if (!fails || found2.severity === "praise") return found2;
  const allowed = isAskedFor ? found2.allowed.replace(orError, ending) : found2.allowed;
  return { ...found2, severity: "fail", allowed };
}
function conclude(run, { findings, exercised, callers: callers2, doubts, unmet, dropped, outages, unrecorded, expect }) {
  const inconclusive = (reason) => ({ outcome: "inconclusive", reason });
  const codesOf = (severity) => [
    ...new Set(findings.filter((each) => each.severity === severity).map(({ code }) => code))
  ];
  const failed = codesOf("fail");
  if (failed.length > 0) return { outcome: "fail", reason: `The client failed ${failed.join(", ")}.` };
  if (outages.length > 0) return inconclusive(describeOutages(outages));
  if (dropped > 0)
    return inconclusive(`The journal has dropped ${counted(dropped, "request")}, so the run is not known as a whole.`);
  const guarded = describeGuarded(unrecorded);
  if (guarded !== void 0) return inconclusive(guarded);
  if (isWrongKey(run.requests, expect, run.needs)) {
    return inconclusive("Every request was a 401: check the API key of the client.");
  }
  if (unmet !== void 0) return inconclusive(`The scenario was not met: it needs ${unmet}.`);
  const waiting = stillWaiting(run);
  if (waiting !== void 0) return inconclusive(waiting);
  const doubt2 = [callers2, ...rulesOf(expect).map((code) => doubts.get(code))].find((each) => each !== void 0);
  if (doubt2 !== void 0) return inconclusive(doubt2);
  if (!isTold(exercised, expect)) return inconclusive(whyUntold(run, expect, unrecorded));
  const warned = codesOf("warn");
  const but = warned.length > 0 ? `, but see ${warned.join(", ")}` : "";
  return { outcome: "pass", reason: `The client did what the service asked${but}.` };
}
function isTold(exercised, expect) {
  const about = rulesOf(expect);
  return (about.length > 0 ? [...about, "proactive"] : tellingRules).some((code) => exercised.includes(code));
}
var rulesOf = ({ fail = [], served = false }) => [
  ...fail,
  ...served ? ["gave-up"] : []
];
function isWrongKey(requests, { fail = [] }, { key } = {}) {
  if (requests.length === 0 || !requests.every(({ status: status2, isRefused: isRefused2 }) => status2 === 401 && !isRefused2)) return false;
  return !fail.includes("retried-401") || requests.every(({ token }) => token === void 0 || (key ?? token) !== token);
}
function stillWaiting(run) {
  const { requests, end, endMs } = run;
  const last = requests.at(-1);
  if (end?.isInterrupted && last !== void 0 && isLeftBy(last, endMs) && isWrite(last))
    return "The run was stopped while the client waited for an answer: give it more time.";
  if (!end?.isInterrupted || !last?.isRefused || isOverdue(last, run)) return void 0;
  const more = "give it more time.";
  const { deadlineMs } = last;
  if (deadlineMs === void 0) return `The run was stopped before the client came back from a refusal: ${more}`;
  const leftMs = deadlineMs - endMs;
  if (leftMs > testableMs) {
    return `The run was stopped while the client waited as it was asked to, ${span(leftMs)} before the end of that wait: bound the wait, and give up with an error.`;
  }
  if (-leftMs > patienceMs(last)) {
    return `The run was stopped ${span(-leftMs)} after the wait that the client was asked for, and it had not come back yet: ${more}`;
  }
  return `The run was stopped while the client waited as it was asked to${leftMs > 0 ? `, ${span(leftMs)} before the end of that wait` : ""}: ${more}`;
}
var isLeftBy = ({ status: status2, isAbandoned, finishedAtMs }, endMs) => (status2 === 0 || isAbandoned) && endMs - finishedAtMs <= graceMs;
function whyUntold({ requests, isOver, end, idle }, { fail = [] }, unrecorded) {
  if (requests.length === 0) return describeOutside(unrecorded) ?? "No request came.";
  if (requests.some(isUnknown)) {
    const hangs = requests.some(({ isUnreadable }) => isUnreadable);
    const when2 = end?.isInterrupted ? " before it was stopped" : isOver ? "" : " yet";
    const how = end?.isInterrupted && hangs ? `${when2}: if it still waited, it needs a time limit of its own` : when2;
    return `Answers were lost on their way, and nothing shows what the client made of it${how}.`;
  }
  if (!requests.some(({ isRefused: isRefused2 }) => isRefused2)) {
    const next = idle ?? "--scenario minute-wall does that, in ten seconds.";
    return `No request was refused and no answer was lost, so nothing was put to the test. ${next}`;
  }
  if (fail.length > 0) {
    const how = fail.includes("late-request") ? ' Say when the caller of a call gives up: POST /__sim/outcome with the result "aborted".' : "";
    return `The client was refused, but nothing put what the scenario is about to the test: ${fail.join(", ")}.${how}`;
  }
  return "The client was refused, and nothing shows whether it came back: name its calls in X-Sim-Call, or let it run longer.";
}

// src/judge/needs.ts
var targets = {
  listPets: "a GET /pets",
  createPet: "a POST /pets",
  getPet: "a GET /pets/{petId}"
};
function unmetNeed(requests, { key, operation, calls = 1, parallel = 1 }) {
  if (requests.length === 0) return void 0;
  const withKey = key === void 0 ? requests : requests.filter(({ token }) => token === key);
  if (withKey.length === 0) return "the API key that it hands out";
  const wanted2 = operation === void 0 ? withKey : withKey.filter((request) => request.operation === operation);
  if (operation !== void 0 && wanted2.length === 0) return targets[operation];
  if (calls === 1) return void 0;
  const made = callsIn(wanted2);
  if ((wanted2.length < calls || made === 1) && wanted2.slice(-1).some(isServed)) {
    return `${counted(calls, "call")}, and got ${made}`;
  }
  const beside = Math.min(calls, parallel);
  if (isOneAfterAnother(wanted2, beside)) return `${counted(beside, "call")} side by side, and got one after another`;
  return void 0;
}
var callsIn = (requests) => [...groupBy(requests, ({ fingerprint: fingerprint2 }) => fingerprint2).values()].reduce((sum, tries) => {
  const isOwn = (each) => isServed(each) || each.isWrite && !each.isRefused;
  return sum + Math.max(1, tries[0]?.call === void 0 ? tries.filter(isOwn).length : 1);
}, 0);
function isOneAfterAnother(requests, beside) {
  const firstWait = requests.findIndex((each, at) => each.deadlineMs !== void 0 && at < requests.length - 1);
  return firstWait >= 0 && firstWait + 1 < beside && requests.every((request, at) => at === 0 || isAfter(requests[at - 1], request));
}
var isAfter = (before, { id, arrivedAtMs }) => id > before.lastArrivedId && arrivedAtMs >= (before.deadlineMs ?? before.answeredAtMs) - toleranceMs;

// src/judge/rules/ban-hammered.ts
var banHammered = {
  needs: "simulator",
  judge({ episodes, isOver }) {
    const banned = episodes.filter(({ refusals }) => refusals.some(({ isBan }) => isBan));
    const findings = banned.flatMap(({ refusals }) => {
      const ban2 = refusals.filter(({ isBan }) => isBan);
      const more = ban2.filter(
        (request) => request.lastRefusalRead?.isBan && (earlyMs(request.lastRefusalRead, request) ?? 0) > toleranceMs
      );
      const [first] = more;
      if (first === void 0) return [];
      const longer = isExtended(ban2) ? " Each request made this ban longer." : "";
      return [
        finding("ban-hammered", "fail", more, {
          measured: `${counted(more.length, "request")} after the response that reported the ban`,
          allowed: "0 requests",
          text: `Sent a request ${times(more.length)} during a ban, ${theFirst(more)}${span(earlyMs(first.lastRefusalRead, first) ?? 0)} before it would be served again.${longer} Send nothing with this key until Retry-After has passed, and then one request.`
        })
      ];
    });
    const cameBack = banned.some(({ requests }) => requests.some(({ lastRefusalRead }) => lastRefusalRead?.isBan));
    return { exercised: cameBack || isOver && banned.length > 0, findings };
  }
};
var isExtended = (ban2) => ban2.some(({ known: known2 }) => (known2.promisedAtMs ?? 0) > (ban2[0]?.known.promisedAtMs ?? 0));

// src/judge/rules/ban-tripped.ts
var banTripped = {
  needs: "simulator",
  judge({ episodes, isOver, end, dropped = 0 }) {
    const findings = [];
    for (const { refusals } of episodes) {
      const readMs = /* @__PURE__ */ new Map();
      let strikes = [];
      let hadRefusal = false;
      for (const last of refusals) {
        const { lane, queuedAtMs, answeredAtMs, known: known2, isBan } = last;
        const firstMs = readMs.get(lane) ?? Number.POSITIVE_INFINITY;
        readMs.set(lane, Math.min(firstMs, answeredAtMs));
        if (!known2.isStrike) continue;
        strikes.push(last);
        hadRefusal ||= firstMs <= queuedAtMs;
        if (!isBan) continue;
        const isOwn = hadRefusal || dropped > 0 && strikes.length < known2.strikes;
        const led = strikes;
        strikes = [];
        hadRefusal = false;
        if (!isOwn) continue;
        const banMs = (known2.promisedAtMs ?? last.arrivedAtMs) - last.arrivedAtMs;
        findings.push(
          finding("ban-tripped", "fail", led, {
            measured: counted(known2.strikes, "strike"),
            allowed: "none",
            text: `Went on after a 429 until the key was banned, and is not served for another ${span(banMs)}; request ${last.id} was the last strike. After a 429, send nothing with this key until Retry-After has passed.`
          })
        );
      }
    }
    const cameBack = episodes.some(
      ({ requests }) => requests.some(({ lastRefusalRead }) => lastRefusalRead !== void 0)
    );
    return {
      exercised: cameBack || findings.length > 0 || isOver && !end?.isInterrupted && episodes.length > 0,
      findings
    };
  }
};

// src/judge/rules/body-changed.ts
var bodyChanged = {
  needs: "wire",
  judge(run) {
    const writes = groupBy(run.requests.filter(isWrite), ({ token, call }) => `${token} ${call}`);
    const retries = [...writes.values()].flatMap(retriesOf);
    const obtained = obtainedIn(run);
    const findings = retries.filter(({ first, next }) => !isSame(first, next)).filter(({ first, next }) => next.status !== 400 || length(next) === 0 || !obtained.has(first)).map(
      ({ first, next }) => finding("body-changed", "fail", [first, next], {
        measured: `${length(next)} ${length(next) === length(first) ? "other " : ""}bytes`,
        allowed: `the same ${length(first)} bytes`,
        text: `${target(next)} was tried again with ${nameOf(first, next)}. ${isBroken(next) || isBeginning(first, next) ? unread : madeAnew}: keep the bytes, and send the same.`
      })
    );
    return { exercised: retries.length > 0, findings };
  }
};
var unread = "A stream can be read only once, and what is JSON already is not to be made JSON again";
var madeAnew = "A call has one body, made before its first try";
function retriesOf(writes) {
  let refused;
  let lost;
  const retries = [];
  for (const next of writes) {
    const first = next.retryOf ?? (refused !== void 0 && isRetry(refused, next) ? refused : void 0) ?? (lost !== void 0 && isRetryOfLost(lost, next) ? lost : void 0);
    if (length(next) > 0) {
      if (next.isRefused) refused = next;
      lost = isUnknown(next) ? next : void 0;
    }
    if (first !== void 0 && length(first) > 0) retries.push({ first, next });
  }
  return retries;
}
var isRetry = (first, next) => first.id <= (next.lastRefusalRead?.id ?? 0) && (next.call !== void 0 || isBeginning(first, next) || isBroken(next));
var isRetryOfLost = (first, next) => next.lane === first.lane && next.lane.isOneThread && next.id > first.lastArrivedId && isBeginning(first, next);
var isBroken = ({ status: status2, lane }) => status2 === 400 && lane.isOneThread;
function isBeginning(first, next) {
  const [whole3, part] = [bodyOf(first), bodyOf(next)];
  return part.length < whole3.length && part.every((byte, at) => byte === whole3[at]);
}
var nameOf = (first, next) => length(next) === 0 ? "an empty body" : isBeginning(first, next) ? "only the beginning of its body" : next.status === 400 ? "a body that the service cannot read" : "another body";
var bodyOf = ({ requestBody = "" }) => fromJsonBytes(requestBody);
var length = (request) => bodyOf(request).length;
var isSame = (first, next) => first.requestText === next.requestText || first.pet === next.pet;

// src/judge/rules/deprecated-operation.ts
var deprecatedOperation = {
  needs: "wire",
  judge({ requests }) {
    const used = requests.filter(({ operation }) => operation === "getPet");
    const [first] = used;
    if (first === void 0) return { exercised: false, findings: [] };
    const isRemoved = used.some(({ arrivedAtMs }) => arrivedAtMs >= getPetRemovedAtMs);
    const until = isRemoved ? "It was removed on 5 December 2030" : "It will be removed on 5 December 2030";
    return {
      exercised: true,
      findings: [
        finding("deprecated-operation", isRemoved ? "warn" : "info", used, {
          measured: counted(used.length, "request"),
          allowed: "none after 5 December 2030",
          text: `GET /pets/{petId} was used ${times(used.length)}. ${until}; use GET /pets with the status filter.`
        })
      ]
    };
  }
};

// src/judge/rules/duplicate-write.ts
var lateMs = 1e3;
var duplicateWrite = {
  needs: "simulator",
  judge(run) {
    const all = run.requests.filter((request) => isWrite(request) && isStored(request));
    const asked = run.needs?.calls ?? (asksForWrites(run) ? 1 : void 0);
    const looks = new Looks(run.requests);
    const calls = [...groupBy(all, callOf).values()].flatMap((stored) => callsUnder(stored, looks));
    const lost = calls.filter((stored) => stored.some((each) => isLost(each, stored)));
    const repeated = calls.filter((stored) => stored.length > 1);
    const isMoreThanAsked = asked !== void 0 && all.length > asked;
    const mayBeWanted = asked !== void 0 && !isMoreThanAsked;
    const duplicates = repeated.filter(
      (stored) => stored[0]?.call !== void 0 && (isOnePet(stored) || isMoreThanAsked) || stored[0]?.call === void 0 && isRepeatedBlindly(stored) && !mayBeWanted
    );
    const findings = duplicates.map((stored) => {
      const ids = stored.map(({ known: known2 }) => known2.storedId).join(", ");
      const [first] = stored;
      const like = stored.every(({ requestText }) => requestText === first.requestText) ? "with one body" : "for one call";
      const again = isOnePet(stored) ? "the same was sent again" : "another pet was sent under the same name";
      return finding("duplicate-write", "fail", stored, {
        measured: `${stored.length} pets stored (${ids})`,
        allowed: "1 pet",
        text: `${target(first)} was stored, its answer ${howLost(first)}, and ${again}: ${stored.length} pets ${like}. ${advice(first)}`
      });
    });
    const isDoubtful = repeated.length > duplicates.length && (isMoreThanAsked || repeated.some(isRepeatedBlindly)) || findings.length === 0 && !mayBeWanted && lost.length > 0 && isSamePetSentBlindly(all);
    const isOtherPet = isMoreThanAsked && findings.length === 0 && isFollowedBlindly(all, looks);
    return {
      exercised: lost.length > 0 || findings.length > 0 || calls.some((stored) => stored.some(isWaitedFor)),
      findings,
      doubt: isDoubtful ? doubtOf(repeated, isMoreThanAsked) : isOtherPet ? followed : void 0
    };
  }
};
var isOnePet = (stored) => stored.every(({ pet }) => pet === stored[0]?.pet);
var doubtOf = (repeated, isMoreThanAsked) => isMoreThanAsked ? tooMany : repeated.every(isOnePet) ? sentAgain : oneName;
var oneName = "Several pets were stored under one name in X-Sim-Call, each right after an answer was lost: a name is that of one call.";
var tooMany = "Equal pets were added, and more than the scenario asks for: whether that was one call or several only its name in X-Sim-Call tells.";
var sentAgain = "The same pet was added again after an answer was lost: whether that was one call or several only its name in X-Sim-Call tells.";
var followed = "More pets were added than the scenario asks for, one of them right after an answer was lost: whether that was one call, made anew for its next try, only its name in X-Sim-Call tells.";
var callOf = (request) => {
  const { client, call, fingerprint: fingerprint2 } = request;
  return (call === void 0 ? [client, fingerprint2] : [client, call]).join("\n");
};
var callsUnder = (stored, looks) => stored.length === 1 || stored[0]?.call === void 0 || isOnePet(stored) || hasBlindStep(stored, looks) ? [stored] : [...groupBy(stored, ({ pet }) => pet).values()];
var hasBlindStep = (stored, looks) => stored.some((lost, at) => {
  const next = stored[at + 1];
  return next !== void 0 && isUnknown(lost) && next.arrivedAtMs - lost.answeredAtMs < soonMs && !looks.has(lost, next);
});
var soonMs = 6e4;
var Looks = class {
  #requests;
  /** Their ids; made when they are needed. */
  #ofClients;
  constructor(requests) {
    this.#requests = requests;
  }
  /** Whether the client that sent both read anything in between. */
  has(before, after) {
    this.#ofClients ??= new Map(
      [...groupBy(this.#requests.filter(isLook), ({ client }) => client)].map(([client, of]) => [
        client,
        of.map(({ id }) => id)
      ])
    );
    const ids = this.#ofClients.get(before.client) ?? [];
    const next = ids[lowest(ids.length, (at) => ids[at] > before.id)];
    return next !== void 0 && next < after.id;
  }
};
var isLook = (request) => !isWrite(request) && isServed(request);
var isStored = ({ known: known2 }) => known2.storedId !== void 0;
var isLost = (request, stored) => isUnknown(request) || request.call !== void 0 && stored.some((later2) => later2.id > request.id && later2.arrivedAtMs < request.answeredAtMs);
var isWaitedFor = ({ status: status2, answeredAtMs, arrivedAtMs }) => status2 > 0 && answeredAtMs - arrivedAtMs >= lateMs;
var isRepeatedBlindly = (stored) => stored.slice(0, -1).every(isUnknown);
var isSamePetSentBlindly = (all) => [...groupBy(all, ({ pet }) => pet).values()].some((stored) => stored.length > 1 && isRepeatedBlindly(stored));
var isFollowedBlindly = (all, looks) => [
  ...groupBy(
    all.filter(({ call }) => call === void 0),
    ({ client }) => client
  ).values()
].some((stored) => hasBlindStep(stored, looks));
function howLost({ status: status2, isUnreadable, isAbandoned }) {
  if (status2 === 0 || isAbandoned) return "was not waited for";
  return isUnreadable ? "was lost" : `was ${status2}`;
}
var advice = (first) => isUnknown(first) ? "Look with GET /pets before you repeat a write whose answer you did not get." : "A success is no reason to send the call again, whatever its headers say.";

// src/judge/wait-pattern.ts
var longestTimerMs2 = 2 ** 31 - 1;
var hourMs = 36e5;
var thousandth = "seconds handed to a timer that takes milliseconds";
var leastThousandthMs = 5e3;
var atOnceMs = 20;
var mostLateMs = 80;
var cutOff = "a fraction of a second that was cut off";
var waitMsOf = ({ told, request }) => request.arrivedAtMs - told.answeredAtMs;
function describeWaits(early) {
  const waits = early.map(waitMsOf);
  const mistake = guess(early, waits);
  const looksLike = mistake === void 0 ? "" : `: looks like ${mistake}`;
  const isInRow = early.every(({ told }, index) => index === 0 || told === early[index - 1]?.request);
  const often = waits.length === 1 ? "" : `${times(waits.length)} ${isInRow ? "in a row " : ""}`;
  if (waits.every((ms) => ms <= atOnceMs)) return `${often}without any wait${looksLike}`;
  const shared = sharedWait(waits);
  if (shared !== void 0) return `${often}after exactly ${span(shared)}${looksLike}`;
  const shown2 = waits.slice(0, 6).map((ms) => span(ms));
  const more = waits.length > shown2.length ? ` and ${waits.length - shown2.length} more` : "";
  return `after ${shown2.join(", ")}${more}${looksLike}`;
}
function guess(early, waits) {
  const asked = early.map(({ told }) => told.retryAfterMs);
  if (waits.every((waitMs, index) => isThousandth(waitMs, asked[index]))) return thousandth;
  if (waits.every((waitMs, index) => isCutOff(waitMs, asked[index]))) return cutOff;
  if (waits.every((ms) => ms <= atOnceMs)) {
    if (early.some(({ told }) => isRetryDate(told))) return "an HTTP date read as a number";
    if (asked.some((ms) => ms !== void 0 && ms > longestTimerMs2)) return "a wait longer than a timer can hold";
    if (asked.includes(void 0)) return "a missing Retry-After read as 0";
    const isMaybeThousandth = asked.every((ms) => ms !== void 0 && ms / 1e3 <= atOnceMs && ms >= leastThousandthMs);
    return `a Retry-After that was not read${isMaybeThousandth ? `, or ${thousandth}` : ""}`;
  }
  const shared = sharedWait(waits);
  if (shared === void 0) return isGrowing(waits) ? "a backoff that does not read Retry-After" : void 0;
  if (shared % 6e4 === 0 && early.some(({ told }) => (told.deadlineMs ?? 0) - told.answeredAtMs > hourMs))
    return "the wait of the minute";
  return shared >= 5e3 ? `a cap of ${whole2(shared)}` : `a fixed wait of ${whole2(shared)}`;
}
function sharedWait(waits) {
  const mean2 = waits.reduce((sum, ms) => sum + ms, 0) / waits.length;
  const step = mean2 < 5e3 ? 500 : 1e3;
  const round = Math.round(mean2 / step) * step;
  return round > 0 && waits.every((ms) => isAbout(ms, round)) ? round : void 0;
}
var isThousandth = (waitMs, askedMs) => askedMs !== void 0 && askedMs / 1e3 > atOnceMs && Math.abs(waitMs - askedMs / 1e3) <= 16;
function isCutOff(waitMs, askedMs = 0) {
  const wholeMs = Math.floor(askedMs / 1e3) * 1e3;
  return wholeMs > 0 && askedMs > wholeMs && isAbout(waitMs, wholeMs);
}
var isAbout = (waitMs, ms) => waitMs >= ms - atOnceMs && waitMs <= ms + mostLateMs;
var isGrowing = (waits) => waits.length > 1 && waits.every((ms, index) => index === 0 || ms >= 1.3 * (waits[index - 1] ?? 0));
var whole2 = (ms) => `${ms / 1e3} s`;

// src/judge/rules/early-retry.ts
var earlyRetry = {
  needs: "wire",
  judge(run) {
    const early = run.episodes.map(({ requests }) => earlyAfter(requests, refusalBefore));
    const outages = earlyAfter(run.requests, ({ retryOfOutage }) => retryOfOutage);
    const findings = [...early.map(outsideBans), outages].flatMap((found2) => {
      const [first] = found2;
      if (first === void 0) return [];
      const worst = found2.reduce((most, each) => each.earlyMs > most.earlyMs ? each : most, first);
      return [describe2(worst, found2)];
    });
    const cameBack = run.requests.some(
      (request) => refusalBefore(request) !== void 0 || request.retryOfOutage !== void 0
    );
    return { exercised: cameBack || hasStopped(run), findings };
  }
};
function refusalBefore({ lane, call, lastRefusalRead, retryOf }) {
  const isOtherCall = call !== void 0 && lastRefusalRead?.call !== void 0 && lastRefusalRead.call !== call;
  return lane.isOneThread && !isOtherCall ? lastRefusalRead : retryOf;
}
function earlyAfter(requests, toldOf) {
  const found2 = [];
  for (const request of requests) {
    const told = toldOf(request);
    const early = told && (earlyForRetryAfterMs(told, request) ?? earlyMs(told, request));
    if (told !== void 0 && early !== void 0 && early > toleranceMs) found2.push({ told, request, earlyMs: early });
  }
  return found2;
}
var earlyForRetryAfterMs = ({ retryAfterMs, resetMs, answeredAtMs }, request) => (
  // Side by side, another caller may have used up what Reset had promised.
  request.isRefused && request.lane.isOneThread && retryAfterMs !== void 0 && request.arrivedAtMs >= (resetMs ?? Number.POSITIVE_INFINITY) ? answeredAtMs + retryAfterMs - request.arrivedAtMs : void 0
);
function outsideBans(early) {
  const outside = early.filter(({ told }) => !told.isBan);
  return outside.length > 0 ? outside : early;
}
var isCertain = ({ request }) => request.lane.isOneThread || request.call !== void 0;
var isOnAnother = ({ told, request }) => request.call === void 0 && request.lane.callers === 1 && !told.isBan && request.connection !== told.connection && request.arrivedAtMs - told.answeredAtMs < soonMs2;
var soonMs2 = 500;
var callers = " If these are several callers that share nothing, say so: client.parallel in the scenario, or X-Sim-Call.";
function describe2({ told, request, earlyMs: byMs }, early) {
  const again = early.some((each) => each.request.isRefused || each.request.status === 503);
  const header = promiseOf(told);
  const allowedMs = told.retryAfterMs === void 0 ? byMs : told.answeredAtMs + told.retryAfterMs - request.arrivedAtMs;
  const isAfterReset2 = earlyMs(told, request) !== byMs;
  const upTo = early.length > 1 ? "up to " : "";
  const isRounded = told.isRefused && early.every((each) => each.earlyMs < 1e3 && each.request.status < 400);
  const saved = isRounded ? "It was served, because waits are rounded up to whole seconds. " : "";
  const isKnown = early.every(isCertain);
  return finding(
    "early-retry",
    again ? "fail" : "warn",
    early.map((each) => each.request),
    {
      measured: `${isKnown ? "" : "at most "}${span(request.arrivedAtMs - told.answeredAtMs)} waited`,
      allowed: allowedBy(told, isAfterReset2),
      text: `Came back ${upTo}${span(allowedMs)} before ${header}${told.isBan ? " of the ban" : ""} allowed${isKnown ? `, ${describeWaits(early)}` : ""}. ${saved}${isAfterReset2 ? earlierReset : ""}${advice2(told, header)}${early.some(isOnAnother) ? callers : ""}`
    }
  );
}
var earlierReset = "X-RateLimit-Reset lay earlier, and the client was refused again after it. ";
var promiseOf = ({ retryAfterMs }) => retryAfterMs === void 0 ? "X-RateLimit-Reset" : "Retry-After";
function allowedBy({ answeredAtMs, retryAfterMs, resetMs }, isAfterReset2) {
  const untilResetMs = resetMs === void 0 ? void 0 : resetMs - answeredAtMs;
  if (retryAfterMs === void 0) return `at least ${span(untilResetMs ?? 0)}`;
  const differs = untilResetMs !== void 0 && !isAfterReset2 && retryAfterMs - untilResetMs >= 100;
  const orReset = differs ? `, or ${span(untilResetMs)} until X-RateLimit-Reset` : "";
  return `at least ${span(retryAfterMs)}${orReset}`;
}
function advice2(told, header) {
  if (told.isBan) return "A ban ends no sooner for being asked: send nothing with this key until then.";
  if (header === "X-RateLimit-Reset") {
    return `Without Retry-After, wait until X-RateLimit-Reset: ${describeReset(told)}.`;
  }
  if (isRetryDate(told)) {
    return `Retry-After was a date, ${told.headers[retryAfterHeader]}: wait until then, and add random time on top of it, never below.`;
  }
  return "Wait at least as long as Retry-After says, and add random time on top of it, never below.";
}
var hasStopped = ({ isOver, end, episodes }) => isOver && !end?.isInterrupted && episodes.some(({ refusals }) => new Set(refusals.map(({ fingerprint: fingerprint2 }) => fingerprint2)).size === refusals.length);

// src/judge/answers.ts
var none = { asked: 0, answered: 0, missing: [], doubt: void 0 };
function answersFor(run, isFailed2) {
  const { requests, needs, isOver, end, pending } = run;
  let reads = 0;
  let last;
  const failed = [];
  let fingerprint2;
  for (const request of requests) {
    if (request.method !== "GET" || request.call !== void 0 || request.status === 0) continue;
    fingerprint2 = reads === 0 || fingerprint2 === request.fingerprint ? request.fingerprint : void 0;
    reads++;
    last = request;
    if (isFailed2(request)) failed.push(request);
  }
  const answered = reads - failed.length;
  const asked = needs?.calls;
  if (failed.length === 0) return none;
  if (asked === void 0 || answered > asked) {
    return isLostAmongOthers(run) ? { ...none, doubt } : none;
  }
  const isEnd = isOver && !end?.isInterrupted && pending === 0;
  if (!isEnd || fingerprint2 === void 0 || answered === asked || reads < asked) return none;
  const isOneCall = answered === 1 && asked > 1 && failed.at(-1) !== last;
  if (isOneCall) return none;
  return { asked, answered, missing: failed.slice(answered - asked), doubt: void 0 };
}
var doubt = "Answers were lost, and equal reads followed: whether those were other tries or the next calls only their names in X-Sim-Call tell.";
var isLostAmongOthers = ({ calls }) => calls.some((tries) => {
  const at = tries.findIndex((each) => isLostRead(each));
  return at >= 0 && tries.slice(at).filter(isAnswered).length > 1;
});
var isLostRead = (request) => request.method === "GET" && request.call === void 0 && request.status !== 0 && isUnknown(request);

// src/judge/rules/gave-up.ts
var gaveUp = {
  needs: "wire",
  judge(run) {
    const ended = run.calls.filter((tries) => {
      const last = tries.at(-1);
      return isFailed(last) && isOverdue(last, run);
    });
    const obtained = obtainedIn(run);
    const nextOf = ended.length > 0 ? nextInThread(run) : void 0;
    const areOneEach = isEachWriteACall(run);
    const dropped = ended.filter((tries) => {
      const last = tries.at(-1);
      const isOneCall = areOneEach && isUnansweredWrite(last);
      return (isOneCall || !mayBeTriedAgain(last, nextOf?.get(last))) && !obtained.has(last);
    });
    const areAnswered = dropped.every(isBesideOthers) && hasAnswers(run);
    const findings = areAnswered ? [] : [...groupBy(dropped, groupOf).values()].flatMap((given) => describe3(run, given));
    const answers = answersFor(run, isFailed);
    if (dropped.length === 0 && answers.missing.length > 0) findings.push(describeMissing(run, answers));
    const cameBack = run.calls.some((tries) => tries.some(isToRepeat) && !isFailed(tries.at(-1)));
    return { exercised: cameBack && answers.doubt === void 0, findings, doubt: answers.doubt };
  }
};
var groupOf = (tries) => `${tries[0]?.token} ${isUnansweredWrite(tries.at(-1))}`;
function describe3(run, given) {
  const last = given.map((tries2) => tries2.at(-1));
  const [first] = last;
  const tries = given[0] ?? [];
  const attempts = tries.length - 1 - tries.findLastIndex((each) => !isFailed(each));
  const others = given.length > 1 ? ` and ${counted(given.length - 1, "other call")}` : "";
  const why = first.isRefused ? `refused with ${first.status}` : "left without an answer of use";
  const { severity, told } = severityOfGivingUp(run, last);
  const isWriteLost = isUnansweredWrite(first);
  if (isWriteLost && severity !== "warn") return [];
  const dated = attempts === 1 && isRetryDate(first) ? ` Retry-After was a date, ${first.headers[retryAfterHeader]}: read that form, too.` : "";
  const often = given.length === 1 && attempts > 1 ? ` ${times(attempts)}, and then given up` : " and not sent again";
  return [
    finding("gave-up", severity, last, {
      measured: `${counted(given.length, "call")} given up`,
      allowed: isWriteLost ? "an error for the caller, or a look whether it was stored" : `another try after the wait${orError}`,
      text: `${target(first)}${others} ${given.length === 1 ? "was" : "were"} ${why}${often}. ${told}${dated}${isWriteLost ? " Not to send it again is right, to say nothing is not: nobody knows whether it was stored." : ""}`
    })
  ];
}
function describeMissing(run, { missing, answered, asked }) {
  const { severity, told } = severityOfGivingUp(run, missing);
  const [first] = missing;
  const why = first.isRefused ? "refused" : "left without an answer of use";
  return finding("gave-up", severity, missing, {
    measured: `${counted(asked, "call")}, ${answered} answered`,
    allowed: `another try after the wait${orError}`,
    text: `${counted(asked, "equal call")} were made, and ${answered} of them were answered: what was ${why} was not sent again. ${told}`
  });
}
var isFailed = (request) => isToRepeat(request) || isUnansweredWrite(request);
var isToRepeat = (request) => request.isRefused && !isProbe(request) || request.method === "GET" && request.status !== 0 && isUnknown(request);
var isUnansweredWrite = (request) => isWrite(request) && !request.isRefused && isUnknown(request);
var isEachWriteACall = (run) => writesOf(run).length <= (run.needs?.calls ?? 0);
var isBesideOthers = ([first]) => first?.lane.isOneThread === false && first.call === void 0;
var hasAnswers = ({ requests, needs }) => needs?.calls !== void 0 && requests.filter(isServed).length >= needs.calls;
var isProbe = ({ method }) => method === "HEAD" || method === "OPTIONS";
function nextInThread({ requests, calls }) {
  const next = /* @__PURE__ */ new Map();
  const lanes = new ByLane(() => ({}));
  for (const request of requests) {
    if (!request.lane.isOneThread) continue;
    const lane = lanes.of(request.lane);
    const { last } = lane;
    if (last !== void 0 && calls[last.fingerprint]?.at(-1) === last) next.set(last, request);
    lane.last = request;
  }
  return next;
}
var mayBeTriedAgain = (last, next) => next !== void 0 && next.call === void 0 && next.method === last.method && next.path === last.path && next.fingerprint !== last.fingerprint;

// src/judge/rules/ignored-day-window.ts
var ignoredDayWindow = {
  needs: "simulator",
  judge({ episodes, isOver }) {
    const days = episodes.map(({ refusals, requests }) => ({ refusals: refusals.filter(({ known: known2 }) => known2.window === "day"), requests })).filter(({ refusals }) => refusals.length > 0);
    const findings = days.flatMap(({ refusals, requests }) => {
      const early = requests.filter(
        (request) => request.lastRefusalRead?.known.window === "day" && (earlyMs(request.lastRefusalRead, request) ?? 0) > toleranceMs
      );
      const [told] = refusals;
      if (early.length === 0 || told?.deadlineMs === void 0) return [];
      return [
        finding("ignored-day-window", "fail", early, {
          measured: `${counted(early.length, "request")} before the day was over`,
          allowed: "0 requests",
          text: `The day's limit was used up for another ${span(told.deadlineMs - told.answeredAtMs)}, and the client tried ${times(early.length)} more. When the wait is longer than the caller can bear, give up with a clear error, and remember it.`
        })
      ];
    });
    const cameBack = days.some(
      ({ requests }) => requests.some(({ lastRefusalRead }) => lastRefusalRead?.known.window === "day")
    );
    return { exercised: cameBack || isOver && days.length > 0, findings };
  }
};

// src/judge/rules/impatient.ts
var longMs = 500;
var leastMs2 = 50;
var soonMs3 = 6e4;
var impatient = {
  needs: "wire",
  judge({ calls, requests }) {
    const left = [];
    for (const tries of calls) {
      for (const [index, request] of tries.entries()) {
        if (isRead(request) && isLeft(request) && isAskedAgain(request, tries, index + 1)) left.push(request);
      }
    }
    const hasWaited = requests.some((request) => isRead(request) && !isLeft(request) && lasted(request) >= longMs);
    const [first] = left;
    if (first === void 0) return { exercised: hasWaited, findings: [] };
    const longest2 = left.reduce((most, each) => Math.max(most, lasted(each)), 0);
    return {
      exercised: true,
      findings: [
        finding("impatient", "warn", left, {
          measured: `${counted(left.length, "answer")} left after at most ${span(longest2)}`,
          allowed: "to wait while an answer is on its way",
          text: `${target(first)} was left before its answer ${times(left.length)} and then sent again, which is another request each time. Let the client wait longer for answers, or give up for good.`
        })
      ]
    };
  }
};
function isAskedAgain(left, tries, from) {
  for (let at = from; lasted(left) >= leastMs2 && at < tries.length; at++) {
    const { lane, arrivedAtMs } = tries[at];
    if (arrivedAtMs - left.finishedAtMs > soonMs3) return false;
    if (arrivedAtMs >= left.finishedAtMs && lane === left.lane) return true;
  }
  return false;
}
var isRead = ({ method }) => method === "GET";
var isLeft = ({ status: status2, isAbandoned }) => status2 === 0 || isAbandoned;
var lasted = ({ arrivedAtMs, finishedAtMs }) => finishedAtMs - arrivedAtMs;

// src/judge/rules/late-request.ts
var lateRequest = {
  needs: "wire",
  judge(run) {
    const { requests, outcomes = [] } = run;
    const aborted = outcomes.filter(({ result }) => result === "aborted");
    const ofCalls = aborted.length > 0 ? groupBy(requests, ({ call }) => call) : void 0;
    const found2 = aborted.flatMap((report2) => {
      const own = report2.call === void 0 ? requests : ofCalls?.get(report2.call) ?? [];
      const late = own.filter(({ arrivedAtMs }) => arrivedAtMs > report2.atMs + toleranceMs);
      const [first] = late;
      if (first === void 0) return [];
      return [
        finding("late-request", "warn", late, {
          measured: `${counted(late.length, "request")}, ${theFirst(late)}${span(first.arrivedAtMs - report2.atMs)} after`,
          allowed: "none after the caller has given up",
          text: `A request was sent ${span(first.arrivedAtMs - report2.atMs)} after its caller had given up. End the wait when the caller goes: its signal must reach the timer, not only the request.`
        })
      ];
    });
    return { exercised: aborted.length > 0 || hasEndedItsWait(run), findings: found2 };
  }
};
function hasEndedItsWait({ requests, isOver, end, endMs }) {
  const last = requests.at(-1);
  if (!isOver || end?.hasFailed === void 0 || !last?.isRefused || last.deadlineMs === void 0) return false;
  return endMs >= last.answeredAtMs + graceMs && endMs < last.deadlineMs - toleranceMs;
}

// src/judge/rules/lost-write.ts
var lostWrite = {
  needs: "wire",
  judge(run) {
    const obtained = obtainedIn(run);
    const refused = writesOf(run).filter((tries) => tries.some(({ isRefused: isRefused2 }) => isRefused2));
    const without = refused.filter((tries) => {
      const last = tries.at(-1);
      return last.isRefused && !obtained.has(last);
    });
    const lastStored = without.length > 0 ? lastOfAllStored(run) : void 0;
    const missing = without.filter((tries) => {
      const { call, id } = tries.at(-1);
      return call !== void 0 || lastStored === void 0 || lastStored.id < id;
    });
    const lost = missing.flatMap((tries) => {
      const last = tries.at(-1);
      const unserved = tries.slice(1 + tries.findLastIndex(({ isRefused: isRefused2 }) => !isRefused2));
      return isOverdue(last, run) ? [{ last, tries: unserved }] : [];
    });
    const findings = [...groupBy(lost, ({ last }) => last.token).values()].map((ofKey) => {
      const [{ last, tries }] = ofKey;
      const { severity, told } = severityOfGivingUp(
        run,
        ofKey.map((each) => each.last)
      );
      const isKnown = run.end?.hasFailed !== void 0 || (run.outcomes ?? []).length > 0;
      const all = ofKey.flatMap((each) => each.tries);
      const others = ofKey.length > 1 ? ` and ${counted(ofKey.length - 1, "other write")}` : "";
      const often = ofKey.length === 1 && tries.length > 1 ? ` ${tries.length} times` : "";
      return finding("lost-write", isKnown ? severity : "warn", all, {
        measured: `${all.length} ${all.length === 1 ? "try" : "tries"}, all refused`,
        allowed: `stored in the end${orError}`,
        text: `${target(last)}${others} ${others === "" ? "was" : "were"} refused with ${last.status}${often} and then given up, so nothing was stored. ${told} A refusal stores nothing: a write may be repeated after Retry-After.`
      });
    });
    const isMadeAnew = without.length > missing.length;
    return {
      exercised: refused.length > without.length || lost.length > 0,
      findings,
      doubt: isMadeAnew && findings.length === 0 ? madeAnew2 : void 0
    };
  }
};
function lastOfAllStored(run) {
  const { requests, needs } = run;
  if (!asksForWrites(run)) return void 0;
  const stored = requests.filter((each) => isWrite(each) && isServed(each));
  return new Set(stored.map(({ pet }) => pet)).size >= (needs?.calls ?? 1) ? stored.at(-1) : void 0;
}
var madeAnew2 = "A POST was refused and not sent again, and another pet was stored: whether that was the same call, made anew for its next try, only its name in X-Sim-Call tells.";

// src/judge/growth.ts
var leastGrowth = 1.5;
var mostSteps = 3;
var baseMs = 100;
var noiseMs = 40;
var mostOffMs = 25;
var mostOffShare = 0.05;
var factors = [leastGrowth, 1.75, 2, 2.5, 3, 4];
function growthOf(waits) {
  const total = (Math.max(...waits) + baseMs) / ((waits[0] ?? 0) + baseMs);
  return total ** (1 / Math.min(waits.length - 1, mostSteps));
}
function isExponential(waits) {
  if (growthOf(waits) >= leastGrowth || risesAtRandom(waits)) return true;
  const longest2 = Math.max(...waits);
  const atBound = waits.findIndex((ms) => ms >= longest2 - noiseMs);
  if (waits.slice(atBound).some((ms) => ms < longest2 - noiseMs)) return false;
  const rising = waits.slice(0, atBound + 1);
  const riseMs = longest2 - (waits[0] ?? 0);
  if (rising.length === 2) return riseMs > noiseMs;
  return risesFromFloor(rising) || riseMs >= 2 * noiseMs && factors.some((factor2) => fits(rising, factor2));
}
function risesFromFloor(waits) {
  const [first = 0] = waits;
  const rise = waits.findIndex((ms) => Math.abs(ms - first) > noiseMs);
  return rise > 0 && waits.slice(rise).every((ms, at) => ms + baseMs >= leastGrowth * ((waits[rise + at - 1] ?? 0) + baseMs));
}
function risesAtRandom(waits) {
  const steps2 = waits.slice(1).map((ms, at) => ms - waits[at]);
  const [least2, most] = [Math.min(...steps2), Math.max(...steps2)];
  return least2 > noiseMs && most - least2 > 2 * noiseMs && (waits.at(-1) ?? 0) >= 2 * (waits[0] ?? 0);
}
function fits(waits, factor2) {
  const powers = waits.map((_, at) => factor2 ** at);
  const [meanPower, meanMs] = [mean(powers), mean(waits)];
  let [shared, squares] = [0, 0];
  for (const [at, power] of powers.entries()) {
    shared += (power - meanPower) * (waits[at] - meanMs);
    squares += (power - meanPower) ** 2;
  }
  const stepMs = shared / squares;
  const constantMs = meanMs - stepMs * meanPower;
  const mostOff = Math.max(mostOffMs, mostOffShare * Math.abs((waits.at(-1) ?? 0) - (waits[0] ?? 0)));
  return stepMs > 0 && constantMs > -noiseMs && waits.every((ms, at) => Math.abs(ms - constantMs - stepMs * powers[at]) <= mostOff);
}
var mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

// src/judge/rules/no-backoff-growth.ts
var leastRefusals = 3;
var mostApart = 3;
var mostLatencyMs = 100;
var baseMs2 = 100;
var noBackoffGrowth = {
  needs: "wire",
  judge({ episodes }) {
    const chains = episodes.flatMap(({ requests }) => longest(chainsOf(requests).filter(isTelling)));
    const findings = chains.flatMap((chain) => {
      const hasHeader = chain.every(({ refusal }) => refusal.retryAfterMs !== void 0);
      const waits = chain.map(
        ({ refusal, request }) => Math.max(0, request.arrivedAtMs - refusal.answeredAtMs - (refusal.retryAfterMs ?? 0))
      );
      const latencyMs = Math.min(mostLatencyMs, ...waits);
      if (!isFlat(waits) || !isFlat(waits.map((ms) => ms - latencyMs))) return [];
      const refusals = chain.map(({ refusal }) => refusal);
      const last = chain.at(-1)?.request;
      const count2 = refusals.length + (last?.isRefused ? 1 : 0);
      const shown2 = waits.slice(0, 8).map(span).join(", ");
      return [
        finding("no-backoff-growth", "warn", last?.isRefused ? [...refusals, last] : refusals, {
          measured: `${growthOf(waits).toFixed(2)} times from wait to wait`,
          allowed: `at least ${leastGrowth} times`,
          text: `Refused ${count2} times in a row, and waited about as long each time (${shown2}${hasHeader ? " on top of Retry-After" : ""}). Double the wait after each refusal, up to a bound, and give up after some attempts.`
        })
      ];
    });
    return { exercised: chains.length > 0, findings };
  }
};
function chainsOf(requests) {
  const chains = /* @__PURE__ */ new Map();
  for (const request of requests) {
    const { retryOf: refusal, fingerprint: fingerprint2 } = request;
    if (refusal === void 0) continue;
    let chain = chains.get(fingerprint2);
    if (chain === void 0) {
      chain = [];
      chains.set(fingerprint2, chain);
    }
    const last = chain.at(-1);
    const follows = last === void 0 || refusal.id >= last.request.id;
    if (follows && (earlyMs(refusal, request) ?? 0) <= 0) chain.push({ refusal, request });
  }
  return [...chains.values()];
}
var refusalsOf = (chain) => chain.length + (chain.at(-1)?.request.isRefused ? 1 : 0);
var isTelling = (chain) => chain.length > 1 && refusalsOf(chain) >= leastRefusals;
var longest = (chains) => [...chains].sort((a, b) => b.length - a.length).slice(0, 1);
var isFlat = (waits) => !isExponential(waits) && isAlike(waits);
var isAlike = (waits) => Math.max(...waits) + baseMs2 <= mostApart * (Math.min(...waits) + baseMs2);

// src/judge/rules/no-jitter.ts
var leastCallers = 5;
var togetherMs = 50;
var noJitter = {
  needs: "wire",
  judge(run) {
    const herds = herdsOf(run);
    const findings = herds.flatMap(({ waiting, back }) => {
      const spreadMs = spread(back.map(({ arrivedAtMs }) => arrivedAtMs));
      const waits = back.map(({ arrivedAtMs }, index) => arrivedAtMs - (waiting[index]?.answeredAtMs ?? 0));
      if (spreadMs > togetherMs && spread(waits) > togetherMs) return [];
      const together = spreadMs <= togetherMs ? `came back within ${span(spreadMs)} of each other` : `waited the same ${span(waits[0] ?? 0)}, and came back as closely together as they were refused`;
      return [
        finding("no-jitter", "warn", back, {
          measured: `${back.length} requests within ${span(spreadMs)}, waits equal within ${span(spread(waits))}`,
          allowed: `waits that differ by more than ${togetherMs} ms`,
          text: `${back.length} waiting calls ${together}. Add a random wait to each, on top of Retry-After and never below it.`
        })
      ];
    });
    return { exercised: herds.length > 0, findings };
  }
};
var isCaller = ({ lane }) => !lane.isOneThread;
function herdsOf({ episodes, requests }) {
  const herds = [];
  const callers2 = requests.filter(isCaller);
  if (callers2.length < leastCallers) return herds;
  const ofKeys = groupByNumber(callers2, ({ lane }) => lane.series);
  const latestOfKeys = ofKeys.map(latestArrivals);
  for (const { refusals } of episodes) {
    const deadlineMs = earliestDeadline(refusals);
    const backMs = deadlineMs - toleranceMs;
    const waiting = oneForEachCaller(refusals.filter((each) => isCaller(each) && each.arrivedAtMs < backMs));
    const [first] = waiting;
    if (first === void 0 || waiting.length < leastCallers || deadlineMs === Number.POSITIVE_INFINITY) continue;
    const { series, callers: declared } = first.lane;
    if (declared > 1 && declared < leastCallers) continue;
    const latest = latestOfKeys[series];
    const from = lowest(latest.length, (at) => latest[at] >= backMs);
    const back = backAfter(waiting, ofKeys[series], from, backMs);
    if (back.length >= leastCallers) herds.push({ waiting, back });
  }
  return herds;
}
function backAfter(waiting, requests, from, backMs) {
  const calls = new Set(waiting.map(({ fingerprint: fingerprint2 }) => fingerprint2));
  const isNew = createIsNewCaller();
  const later2 = [];
  const apart = [];
  const most = waiting.length;
  for (let at = from; at < requests.length && (later2.length <= most || apart.length < most); at++) {
    const request = requests[at];
    if (request.arrivedAtMs < backMs || !calls.has(request.fingerprint)) continue;
    if (later2.length <= most) later2.push(request);
    if (apart.length < most && isNew(request)) apart.push(request);
  }
  return later2.length <= most ? later2 : apart;
}
function latestArrivals(requests) {
  let latestMs2 = Number.NEGATIVE_INFINITY;
  return requests.map(({ arrivedAtMs }) => {
    latestMs2 = Math.max(latestMs2, arrivedAtMs);
    return latestMs2;
  });
}
function earliestDeadline(refusals) {
  let earliestMs = Number.POSITIVE_INFINITY;
  for (const { deadlineMs = earliestMs } of refusals) earliestMs = Math.min(earliestMs, deadlineMs);
  return earliestMs;
}
function oneForEachCaller(refusals) {
  const again = new Set(refusals.map(({ retryOf }) => retryOf));
  return refusals.filter((refusal) => !again.has(refusal));
}
function createIsNewCaller() {
  const answeredMs = /* @__PURE__ */ new Map();
  return ({ connection, arrivedAtMs, answeredAtMs }) => {
    if (connection === void 0) return true;
    const before = answeredMs.get(connection) ?? Number.POSITIVE_INFINITY;
    answeredMs.set(connection, Math.min(before, answeredAtMs));
    return arrivedAtMs <= before;
  };
}
var spread = (values) => Math.max(...values) - Math.min(...values);

// src/judge/rules/no-shared-gate.ts
var noSharedGate = {
  needs: "wire",
  judge({ episodes }) {
    const all = episodes.map(othersOf);
    const findings = all.flatMap((others) => {
      const early = others.filter(({ refusal, request }) => (earlyMs(refusal, request) ?? 0) > toleranceMs);
      const [first] = early;
      if (first === void 0) return [];
      return [
        finding(
          "no-shared-gate",
          "warn",
          early.map(({ request }) => request),
          {
            measured: `${counted(early.length, "other call")} during the wait`,
            allowed: "0, after a second for those on their way",
            text: `Another call with the same key was sent ${times(early.length)} while a 429 asked to wait, ${theFirst(early)}${span(earlyMs(first.refusal, first.request) ?? 0)} too early. The limit is the key's: let one wait hold back every call of it.`
          }
        )
      ];
    });
    const cameBack = episodes.some(
      ({ requests }) => requests.some(({ lane, lastRefusalRead }) => lastRefusalRead !== void 0 && !lane.isOneThread)
    );
    return { exercised: cameBack || all.some((others) => others.length > 0), findings };
  }
};
function othersOf({ requests }) {
  const others = [];
  const findRetry = createRetryFinder();
  let aged = 0;
  let agedRefusal;
  for (const request of requests) {
    for (; aged < requests.length; aged++) {
      const earlier2 = requests[aged];
      if (earlier2.answeredAtMs >= request.queuedAtMs - graceMs) break;
      if (earlier2.isRefused) agedRefusal = earlier2;
    }
    const mayRetry = findRetry(request);
    const { lane, call, lastRefusalRead: refusal = agedRefusal } = request;
    const isOneThread = refusal?.lane === lane && lane.isOneThread && (call === void 0 || refusal.call === void 0);
    if (refusal !== void 0 && !mayRetry && !isOneThread) others.push({ refusal, request });
  }
  return others;
}
function createRetryFinder() {
  const lanes = new ByLane(() => /* @__PURE__ */ new Map());
  return (request) => {
    const calls = lanes.of(request.lane);
    const call = calls.get(request.fingerprint) ?? { refusals: [], answered: 0, retried: 0 };
    calls.set(request.fingerprint, call);
    while (isAnswered3(call.refusals[call.answered], request)) call.answered++;
    const mayRetry = request.retryOf !== void 0 || call.answered > call.retried;
    if (mayRetry) call.retried++;
    if (request.isRefused) call.refusals.push(request);
    return mayRetry;
  };
}
var isAnswered3 = (refusal, { arrivedAtMs }) => refusal !== void 0 && refusal.answeredAtMs <= arrivedAtMs;

// src/judge/rules/proactive.ts
var proactive = {
  needs: "wire",
  judge({ requests }) {
    const paused = [];
    const emptied = /* @__PURE__ */ new Map();
    for (const next of requests) {
      const last = emptied.get(next.token);
      if (last !== void 0) {
        emptied.delete(next.token);
        if (isAfterReset(last, next)) paused.push(last);
      }
      if (isEmpty(next)) emptied.set(next.token, next);
    }
    if (paused.length === 0) return { exercised: false, findings: [] };
    return {
      exercised: true,
      findings: [
        finding("proactive", "praise", paused, {
          measured: `${times(paused.length)} at 0`,
          allowed: "any",
          text: "Sent nothing from X-RateLimit-Remaining 0 until the reset, and was served without a 429."
        })
      ]
    };
  }
};
var isEmpty = (request) => !request.isRefused && request.status < 400 && request.headers[rateLimitHeaders.remaining] === "0";
var leastPauseMs = 500;
var isAfterReset = (last, next) => next.id > last.lastArrivedId && !next.isRefused && next.status < 400 && next.arrivedAtMs - last.answeredAtMs >= leastPauseMs && next.arrivedAtMs >= (readReset(last) ?? Number.POSITIVE_INFINITY) - toleranceMs;

// src/judge/rules/retried-401.ts
var mostRepeats = 1;
var retried401 = {
  needs: "wire",
  judge({ requests }) {
    const withKey = requests.filter(({ token }) => token !== void 0);
    const findings = [...groupBy(withKey, ({ token }) => token).values()].flatMap((same) => {
      const repeats = repeatsOf(same);
      const first = same.find(isUnauthorized);
      if (first === void 0 || repeats.length <= mostRepeats) return [];
      return [
        finding("retried-401", "fail", [first, ...repeats.filter((each) => each !== first)], {
          measured: counted(repeats.length, "repeat"),
          allowed: counted(mostRepeats, "repeat"),
          text: `The same key was sent again ${times(repeats.length)} after a 401. Waiting does not make a key valid: stop, and report it; some services ban for it.`
        })
      ];
    });
    return { exercised: withKey.some(isUnauthorized), findings };
  }
};
var isUnauthorized = ({ status: status2, isRefused: isRefused2 }) => status2 === 401 && !isRefused2;
function repeatsOf(same) {
  const onConnection = /* @__PURE__ */ new Map();
  const first = /* @__PURE__ */ new Map();
  return same.filter((request) => {
    if (!isUnauthorized(request)) {
      if (request.status > 0 && request.status < 400) for (const read2 of [first, onConnection]) read2.clear();
      return false;
    }
    const { lane, call, connection } = request;
    const before = first.get(lane);
    const named2 = call === void 0 ? void 0 : first.get(call);
    const own = connection === void 0 || request.isOverlapped ? void 0 : onConnection.get(connection);
    const follows = before !== void 0 && lane.isOneThread || before !== void 0 && request.arrivedAtMs - before.answeredAtMs > graceMs || [named2, own].some((earlier2) => earlier2 !== void 0 && request.id > earlier2.lastArrivedId);
    if (before === void 0) first.set(lane, request);
    if (call !== void 0 && named2 === void 0) first.set(call, request);
    if (connection !== void 0) onConnection.set(connection, request);
    return follows;
  });
}

// src/judge/equal-calls.ts
var leastGrowth2 = 1.5;
var mostApart2 = 0.25;
var noiseMs2 = 40;
function callsOf(tries, most) {
  const calls = [];
  const series = [];
  for (const [at, request] of tries.entries()) {
    const before = tries[at - 1];
    const waitMs = before === void 0 ? 0 : request.arrivedAtMs - before.answeredAtMs;
    const waits = series.at(-1) ?? [];
    if (before === void 0 || startsAgain(waits, waitMs, most) || most !== void 0 && isOnNext(tries, at)) {
      calls.push([request]);
      series.push([]);
    } else {
      calls.at(-1)?.push(request);
      waits.push(waitMs);
    }
  }
  const areSeveral = most === void 0 ? areAlike(series) : calls.length <= most;
  return areSeveral ? calls : [[...tries]];
}
function areAlike([first = [], ...others]) {
  const isNear2 = (ms, otherMs) => Math.abs(ms - otherMs) <= noiseMs2 + otherMs * mostApart2;
  return others.every(
    (waits) => waits.length > 1 && waits.every((ms, at) => at >= first.length || isNear2(ms, first[at]))
  );
}
function startsAgain(waits, waitMs, most) {
  const [firstMs = 0, lastMs = 0] = [waits[0], waits.at(-1)];
  const hasGrown = firstMs >= noiseMs2 && lastMs >= firstMs * leastGrowth2 && lastMs >= firstMs + 2 * noiseMs2;
  const mostMs = most === void 0 ? firstMs / 2 : firstMs + noiseMs2;
  return hasGrown && waitMs <= mostMs;
}
function isOnNext(tries, at) {
  const [last, before, request, next] = [at - 2, at - 1, at, at + 1].map((index) => tries[index]?.connection);
  return before !== void 0 && request !== void 0 && last === before && request === next && before !== request && !tries.slice(at).some(({ connection }) => connection === before);
}

// src/judge/rules/retry-storm.ts
var mostAttempts = 6;
var restMs = 45e3;
var probeMs = 25e3;
var rhythmShare = 0.2;
var leastPollMs = 2500;
var retryStorm = {
  needs: "wire",
  judge(run) {
    const refused = run.episodes.flatMap((episode) => [...groupBy(episode.requests, ({ lane }) => lane).values()]).flatMap((ofClient) => [...groupBy(ofClient, ({ fingerprint: fingerprint2 }) => fingerprint2).values()]).flatMap(splitAtRests);
    const failed = failedCalls(run.requests).flatMap(splitAtRests);
    const all = [...refused, ...failed];
    return {
      exercised: all.some((tries) => attemptsOf(tries) > 1),
      findings: all.flatMap((tries) => findingsIn(tries, run))
    };
  }
};
function findingsIn(tries, { calls, needs }) {
  const [first] = tries;
  const attempts = attemptsOf(tries);
  if (first === void 0 || attempts <= mostAttempts) return [];
  const same = calls[first.fingerprint] ?? [];
  if (isPoll(tries, same)) return [];
  const isShared = first.call === void 0 && first.lane.isOneThread;
  if (!isShared) return [storm(tries, attempts)];
  if (attempts <= mostAttempts * (needs?.calls ?? 1) && tries.slice(1).every(isObedient)) return [];
  const most = needs && Math.max(1, (needs.calls ?? 1) - same.filter((each) => isAnswered(each) && !tries.includes(each)).length);
  const apart = callsOf(tries, most);
  const tooMany2 = apart.filter(({ length: length2 }) => length2 > mostAttempts);
  if (apart.length > 1) return tooMany2.map((each) => storm(each, each.length));
  return [attempts <= mostAttempts * (most ?? 1) ? mayBeSeveral(tries, attempts) : storm(tries, attempts)];
}
var storm = (tries, attempts) => finding("retry-storm", "fail", tries, {
  measured: `${attempts} attempts`,
  allowed: `${mostAttempts} attempts`,
  text: `${triedTimes(tries, `${attempts} times`)} Bound the attempts, and retry in one layer only: retries inside retries multiply.`
});
function mayBeSeveral(tries, attempts) {
  const least2 = Math.ceil(attempts / mostAttempts);
  return finding("retry-storm", "warn", tries, {
    measured: `${attempts} attempts in all, by at least ${least2} calls`,
    allowed: `${mostAttempts} attempts of each call`,
    text: `${triedTimes(tries, `${attempts} times in all`)} That is allowed to ${least2} calls or more, and nothing tells them apart: name them in X-Sim-Call, and bound the attempts of each.`
  });
}
var triedTimes = (tries, often) => {
  const [first] = tries;
  const lastedMs = tries.at(-1).arrivedAtMs - first.arrivedAtMs;
  return `${target(first)} was tried ${often} within ${span(lastedMs)} while it ${first.isRefused ? "was refused" : "got no answer of use"}.`;
};
function isObedient(request) {
  const refusal = request.retryOf ?? request.retryOfOutage;
  return refusal !== void 0 && (earlyMs(refusal, request) ?? Number.POSITIVE_INFINITY) <= toleranceMs;
}
function isPoll(tries, all) {
  if (gapMs(tries[0], tries[1]) < leastPollMs) return false;
  const gaps = tries.slice(1).map((request, index) => gapMs(tries[index], request));
  const shortest = Math.min(...gaps);
  if (shortest >= probeMs) return true;
  const isSteady = (ms) => Math.abs(ms - shortest) <= shortest * rhythmShare;
  if (!gaps.every(isSteady)) return false;
  const [first, last] = [tries[0], tries.at(-1)];
  const before = all[lowest(all.length, (at) => all[at].id >= first.id) - 1];
  const after = all[lowest(all.length, (at) => all[at].id > last.id)];
  return before !== void 0 && isAnswered(before) && isSteady(gapMs(before, first)) || isAnswered(last) && isSteady(gapMs(last, after));
}
var gapMs = (one, next) => (next?.arrivedAtMs ?? Number.POSITIVE_INFINITY) - (one?.arrivedAtMs ?? 0);
function failedCalls(requests) {
  const lanes = new ByLane(() => /* @__PURE__ */ new Map());
  const calls = [];
  for (const request of requests) {
    const { fingerprint: fingerprint2, isRefused: isRefused2, lane } = request;
    if (isRefused2) continue;
    const open3 = lanes.of(lane);
    const isFailed2 = isUnknown(request);
    const tries = open3.get(fingerprint2);
    if (tries !== void 0) tries.push(request);
    else if (isFailed2) {
      const begun = [request];
      open3.set(fingerprint2, begun);
      calls.push(begun);
    }
    if (!isFailed2 && tries !== void 0) open3.delete(fingerprint2);
  }
  return calls;
}
function splitAtRests(tries) {
  const parts = [];
  for (const request of tries) {
    const last = parts.at(-1)?.at(-1);
    const mayComeMs = last && Math.max(last.answeredAtMs, last.deadlineMs ?? 0);
    if (mayComeMs === void 0 || request.arrivedAtMs - mayComeMs >= restMs) parts.push([request]);
    else parts.at(-1)?.push(request);
  }
  return parts;
}
function attemptsOf(tries) {
  let retries = 0;
  for (const request of tries) if (followsAnother(request, tries[0])) retries++;
  return 1 + Math.ceil(retries / Math.max(1, tries.length - retries));
}
var followsAnother = (request, first) => request !== first && (request.retryOf !== void 0 || request.lane.isOneThread && request.id > first.lastArrivedId);

// src/judge/rules/rounded-int64.ts
var largeNumber = /-?\b\d(?:\.\d+)?[eE]\+?\d+\b|-?\b\d{16,19}\b/g;
var mayBeLarge = /\d{16}|\d[eE]/;
var largeNumbers = (text2) => mayBeLarge.test(text2) ? text2.match(largeNumber) ?? [] : [];
var roundedInt64 = {
  needs: "wire",
  judge({ requests }) {
    const given = /* @__PURE__ */ new Set();
    const read2 = /* @__PURE__ */ new Set();
    let lastBody;
    const exactOf = /* @__PURE__ */ new Map();
    const rounded = [];
    let isExact = false;
    for (const request of requests) {
      for (const text2 of [request.path, request.query, request.requestText])
        for (const sent of largeNumbers(text2)) {
          const exact = exactOf.get(keyOf(sent));
          if (given.has(sent)) isExact ||= isRoundable(sent);
          else if (exact !== void 0) rounded.push({ request, exact, sent });
        }
      const { responseBody } = request;
      if (responseBody === lastBody || read2.has(responseBody)) continue;
      lastBody = responseBody;
      read2.add(responseBody);
      for (const exact of largeNumbers(responseBody)) {
        given.add(exact);
        if (isRoundable(exact)) for (const form of formsOf(exact)) exactOf.set(form, exact);
      }
    }
    const [first] = rounded;
    if (first === void 0) return { exercised: isExact, findings: [] };
    return {
      exercised: true,
      findings: [
        finding(
          "rounded-int64",
          "fail",
          rounded.map(({ request }) => request),
          {
            measured: first.sent,
            allowed: first.exact,
            text: `The service said ${first.exact}, and the client sent ${first.sent}: its JSON reader rounds whole numbers beyond 2^53. Read identifiers as text or as big integers.`
          }
        )
      ]
    };
  }
};
var isRoundable = (text2) => /^-?\d+$/.test(text2) && !formsOf(text2).includes(text2);
var formsOf = (exact) => [String(Number(exact)), String(BigInt(Number(exact)))];
var keyOf = (sent) => /[eE]/.test(sent) ? String(Number(sent)) : sent;

// src/judge/undeclared-callers.ts
var blaming = /* @__PURE__ */ new Set([
  "early-retry",
  "ban-tripped",
  "ban-hammered",
  "ignored-day-window",
  "retry-storm"
]);
var mostAttempts2 = 6;
var promptMs = 2e3;
var mostCallers = 64;
var leastNames = 3;
function undeclaredCallersIn(run) {
  let byId2;
  let ofLanes;
  const counts = /* @__PURE__ */ new Map();
  const laneOf = (id) => {
    byId2 ??= new Map(run.requests.map((request) => [request.id, request]));
    return byId2.get(id).lane;
  };
  const sentIn2 = (lane) => {
    ofLanes ??= groupBy(run.requests, (request) => request.lane);
    return ofLanes.get(lane) ?? [];
  };
  const callersIn = (lane) => {
    const count2 = counts.get(lane) ?? countCallers(sentIn2(lane), run);
    counts.set(lane, count2);
    return count2;
  };
  const excuses = ({ code, requests }) => {
    const count2 = blaming.has(code) ? callersIn(laneOf(requests[0])) : 1;
    return count2 > 1 && (code !== "retry-storm" || requests.length <= mostAttempts2 * count2);
  };
  const hasFleetingNames = ({ code, requests }) => code === "no-shared-gate" && requests.length >= leastNames && requests.every((id) => sentIn2(laneOf(id)).length === 1);
  return {
    excuses,
    doubtOf(findings) {
      if (findings.some(excuses)) return several;
      return findings.some(hasFleetingNames) ? fleeting : void 0;
    }
  };
}
var several = "Requests came on other connections before the end of a wait, and each caller that was refused came back after its own: these may be several callers that share nothing. If so, say so: client.parallel in the scenario, or X-Sim-Call.";
var fleeting = "Each request came under another User-Agent and on another connection: whether that is one client or several only a User-Agent that stays, or X-Sim-Call, tells.";
function countCallers(requests, run) {
  let count2 = 1;
  let waiting = [];
  let first;
  let isBack = false;
  let isAfterLast = false;
  let before;
  const late = /* @__PURE__ */ new Set();
  const hasReturned = /* @__PURE__ */ new Set();
  for (const request of requests) {
    if (!request.lane.isOneThread || request.call !== void 0 || request.connection === void 0) return 1;
    const own = waiting.find(({ connection }) => connection === request.connection);
    const from = own ?? waiting.find((refusal) => isDue(refusal, request) && !late.has(refusal));
    if (from !== void 0) {
      if (!isDue(from, request) || !isPrompt(from, request)) return 1;
      if (isBack && isAfterLast && request.arrivedAtMs - (before?.answeredAtMs ?? 0) <= besideMs) return 1;
      if (!isBack) isAfterLast = isAfterAll(waiting, request);
      waiting = waiting.filter((refusal) => refusal !== from);
      isBack = true;
      if (request.isRefused) hasReturned.add(request);
    } else if (first !== void 0 && waiting.length > 0) {
      if (isBack || count2 === mostCallers) return 1;
      count2++;
      if (request.arrivedAtMs - first.answeredAtMs > graceMs) late.add(request);
    }
    if (request.isRefused) {
      if (waiting.length === 0) {
        first = request;
        isBack = false;
      }
      waiting.push(request);
    }
    before = request;
  }
  const mayReturn = (refusal) => !late.has(refusal) && !isOverdue(refusal, run);
  return waiting.every((refusal) => hasReturned.has(refusal) || mayReturn(refusal)) ? count2 : 1;
}
var isDue = ({ deadlineMs, answeredAtMs }, { arrivedAtMs }) => arrivedAtMs >= (deadlineMs ?? answeredAtMs) - toleranceMs;
function isAfterAll(waiting, { arrivedAtMs }) {
  const [first, last] = [waiting[0], waiting.at(-1)];
  if (first === void 0 || last === void 0 || last.arrivedAtMs - first.answeredAtMs <= besideMs) return false;
  const dueMs = last.retryAfterMs === void 0 ? last.deadlineMs : last.answeredAtMs + last.retryAfterMs;
  return arrivedAtMs >= (dueMs ?? 0) - toleranceMs;
}
function isPrompt({ deadlineMs, answeredAtMs }, { arrivedAtMs }) {
  const dueMs = deadlineMs ?? answeredAtMs;
  return arrivedAtMs - dueMs <= Math.max(promptMs, dueMs - answeredAtMs);
}

// src/judge/judge-run.ts
var rules = {
  "early-retry": earlyRetry,
  overslept,
  "no-backoff-growth": noBackoffGrowth,
  "no-jitter": noJitter,
  "retry-storm": retryStorm,
  "no-shared-gate": noSharedGate,
  "ban-tripped": banTripped,
  "ban-hammered": banHammered,
  "duplicate-write": duplicateWrite,
  "lost-write": lostWrite,
  "body-changed": bodyChanged,
  "retried-401": retried401,
  "ignored-day-window": ignoredDayWindow,
  "gave-up": gaveUp,
  impatient,
  "late-request": lateRequest,
  "deprecated-operation": deprecatedOperation,
  "rounded-int64": roundedInt64,
  proactive
};
var judgeRunInSteps = (run, state) => verdictOf(run, state, (rule) => rule.judge(run));
function* verdictOf(run, { scenario, dropped, outages = [], unrecorded = [], expect = {} }, judge2) {
  const judgements = /* @__PURE__ */ new Map();
  const unknown = [];
  const doubts = /* @__PURE__ */ new Map();
  for (const [code, rule] of Object.entries(rules)) {
    const judgement = judge2(rule);
    if (judgement === void 0) unknown.push(code);
    else judgements.set(code, judgement);
    if (judgement?.doubt !== void 0) doubts.set(code, judgement.doubt);
    yield;
  }
  const isHidden = createIsHidden(run.requests, outages);
  const found2 = [...judgements.values()].flatMap((judgement) => judgement.findings);
  const callers2 = undeclaredCallersIn(run);
  const findings = found2.filter((each) => !isHidden(each) && !callers2.excuses(each)).map((each) => escalated(each, expect)).sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity) || firstOf(a) - firstOf(b));
  const exercised = [...judgements].filter(([, judgement]) => judgement.exercised).map(([code]) => code);
  const unmet = unmetNeed(run.requests, run.needs ?? {});
  return {
    scenario,
    ...conclude(run, {
      findings,
      exercised,
      callers: callers2.doubtOf(found2),
      doubts,
      unmet,
      dropped,
      outages,
      unrecorded,
      expect
    }),
    ...unmet !== void 0 && { unmet },
    findings,
    exercised,
    ...unknown.length > 0 && { unknown },
    ...unrecorded.length > 0 && { unrecorded },
    counts: { ...countsOf(run.requests), dropped }
  };
}
function countsOf(requests) {
  const counts = { requests: requests.length, served: 0, refused: 0, banned: 0, lost: 0 };
  for (const request of requests) {
    const { status: status2, isRefused: isRefused2, isBan, isUnreadable, isAbandoned } = request;
    if (isServed(request)) counts.served++;
    if (isRefused2) counts.refused++;
    if (isBan) counts.banned++;
    if (isUnreadable || isAbandoned || status2 === 0) counts.lost++;
  }
  return counts;
}
var severities = ["fail", "warn", "info", "praise"];
var firstOf = ({ requests: [first = 0] }) => first;

// src/judge/run-judge.ts
var RunJudge = class {
  #scenario;
  #entries = [];
  #outcomes = [];
  #read;
  #last;
  #changes = 0;
  constructor(scenario) {
    this.#scenario = scenario;
  }
  /** Adds an entry, in any order: a request that is answered late comes late, too. */
  add(entry) {
    let at = this.#entries.length;
    while (at > 0 && (this.#entries[at - 1]?.id ?? 0) > entry.id) at--;
    if (at === this.#entries.length) this.#entries.push(entry);
    else this.#entries.splice(at, 0, entry);
    this.#change();
  }
  /** Notes when and how an answer was sent; without an effect when its entry is not there. */
  complete(id, delivery) {
    const at = this.#entries.findLastIndex((each) => each.id === id);
    const entry = this.#entries[at];
    if (entry === void 0) return;
    this.#entries[at] = { ...entry, ...delivery };
    this.#change();
  }
  /** Notes what the client said of its calls. */
  report(outcome) {
    this.#outcomes.push(outcome);
    this.#changes++;
    this.#last = void 0;
  }
  /** The verdict on what has come so far. */
  verdict(progress) {
    return inOneGo(this.verdictInSteps(progress));
  }
  /** The same in steps. What comes between them counts from the next verdict on. */
  *verdictInSteps(progress) {
    if (this.#last !== void 0 && isSame2(this.#last.progress, progress)) return this.#last.verdict;
    const { needs, areHeadersHidden, scenario, expect } = this.#scenario;
    const { nowMs, dropped = 0, outages = [], unrecorded, pending = 0, isOver = false, end, idle } = progress;
    const outcomes = [...this.#outcomes];
    const changes = this.#changes;
    const reading = { callers: needs?.parallel, areHeadersHidden };
    const read2 = this.#read ?? (yield* readInSteps([...this.#entries], reading));
    const run = { ...read2, endMs: nowMs, pending, isOver, end, dropped, outcomes, idle, needs };
    const verdict = yield* judgeRunInSteps(run, { scenario, dropped, outages, unrecorded, expect });
    if (changes !== this.#changes) return verdict;
    this.#read = read2;
    this.#last = { progress, verdict };
    return verdict;
  }
  #change() {
    this.#changes++;
    this.#read = void 0;
    this.#last = void 0;
  }
};
var isSame2 = (one, other) => one.nowMs === other.nowMs && one.dropped === other.dropped && one.outages === other.outages && one.unrecorded === other.unrecorded && one.pending === other.pending && one.isOver === other.isOver && one.idle === other.idle && one.end === other.end;

// src/judge/judge.ts
var judge = (sim, { key, ...progress } = {}) => judgeEntries(sim, key === void 0 ? void 0 : ({ token }) => token === key || token?.slice(-4) === key, progress);
var judgeEntries = (sim, isJudged, progress = {}) => inOneGo(judgeInSteps(sim, isJudged, progress));
function* judgeInSteps(sim, isJudged, { outages: untold = [], ...progress } = {}) {
  const { name, settings, clock } = sim;
  const { journal, resolved } = coreOf(sim).state;
  const { scenario } = resolved;
  const { key: _, ...others } = scenario.client ?? {};
  const runJudge = new RunJudge({
    scenario: name,
    expect: scenario.expect,
    // Which key is to be judged somebody has said.
    needs: isJudged === void 0 ? scenario.client : scenario.client && others,
    areHeadersHidden: settings.cors === "hidden"
  });
  for (const entry of isJudged === void 0 ? journal.query() : journal.filter(isJudged)) runJudge.add(entry);
  for (const outcome of journal.outcomes) runJudge.report(outcome);
  const { dropped, outages, unrecorded, pending } = journal;
  return yield* runJudge.verdictInSteps({
    nowMs: clock.now(),
    dropped,
    outages: untold.length > 0 ? [...outages, ...untold] : outages,
    unrecorded: unrecorded.count === 0 ? void 0 : unrecorded.list(isJudged),
    pending,
    idle: idleIn(sim),
    ...progress
  });
}
function idleIn({ settings, faults }) {
  const [idle] = faults.list().filter(({ applied }) => applied === 0);
  if (idle !== void 0) {
    const met = idle.seen === 0 ? "No request met the conditions of" : "No request was hit by";
    return `${met} the fault rule ${JSON.stringify(idle.name)}.`;
  }
  return settings.limitsApply === "none" ? "The limits are off." : void 0;
}

// src/hunt/virtual-time.ts
var startMs = Date.UTC(2026, 0, 1, 12);
var longestMs2 = 4e3 * 864e5;
var longestTimerMs3 = 2 ** 31 - 1;
var timerMs = (ms) => ms >= 1 && ms <= longestTimerMs3 ? ms : 1;
function frozenTime(clock) {
  const firstMs = clock.now();
  return {
    now: () => startMs + clock.now() - firstMs,
    sleep: (ms, signal) => clock.sleep(timerMs(ms), signal),
    step() {
      const dueMs = clock.nextDueMs();
      if (dueMs === Number.POSITIVE_INFINITY) return "nothing";
      if (dueMs - firstMs > longestMs2) return "beyond";
      clock.set(Math.max(clock.now(), Math.ceil(dueMs)));
      return "moved";
    }
  };
}
var fakeClock = () => setTimeout.clock;
function fakeTime(clock) {
  return {
    now: () => clock.now,
    sleep: (ms, signal) => new Promise((resolve, reject) => {
      const abort = () => {
        clock.clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = clock.setTimeout(() => {
        signal?.removeEventListener("abort", abort);
        resolve();
      }, timerMs(ms));
      if (signal?.aborted) abort();
      else signal?.addEventListener("abort", abort);
    }),
    step() {
      if (clock.countTimers() === 0) return "nothing";
      clock.next();
      return clock.now - startMs > longestMs2 ? "beyond" : "moved";
    }
  };
}
var machineImmediate = (setImmediateOfMachine) => setImmediateOfMachine === void 0 || "clock" in setImmediateOfMachine ? void 0 : setImmediateOfMachine;
var immediate = machineImmediate(globalThis.setImmediate);
var turn = () => new Promise((resolve) => {
  if (immediate !== void 0) return void immediate(() => resolve());
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    resolve();
  };
  port2.postMessage(void 0);
});

// src/hunt/run-in-process.ts
var baseUrl = "http://petstore.test/v1";
var quietTurns = 2;
var stalledTurns = 5e3;
async function runInProcess(client, resolved, maximumRequests) {
  const fake = fakeClock();
  fake?.reset();
  fake?.setSystemTime(startMs);
  const { clock: clockStart } = resolved;
  const mode = fake === void 0 ? "frozen" : "real";
  const sim = createSimulatorFrom(
    { ...resolved, clock: { ...clockStart, startMs: clockStart.startMs ?? startMs, mode } },
    { onWarning: () => {
    } }
  );
  const { clock } = coreOf(sim).state;
  clock.onStandstill = void 0;
  const time = fake === void 0 ? frozenTime(clock) : fakeTime(fake);
  const timersBefore = realTimers();
  let requests = 0;
  let events = 0;
  let stop;
  let isOver = false;
  let underWay = 0;
  const never = new Promise(() => {
  });
  const send = async (input, init) => {
    events++;
    if (stop !== void 0) return never;
    if (requests === maximumRequests) {
      stop = "requests";
      return never;
    }
    requests++;
    underWay++;
    try {
      return await sim.fetch(input, init);
    } finally {
      events++;
      underWay--;
    }
  };
  const read2 = /* @__PURE__ */ new Set();
  const { key, ...asked } = clientOf(resolved.scenario);
  const context = {
    fetch: send,
    sleep(ms, signal) {
      events++;
      return time.sleep(ms, signal);
    },
    now: time.now,
    baseUrl,
    apiKey: key,
    get operation() {
      read2.add("operation");
      return asked.operation;
    },
    get calls() {
      read2.add("calls");
      return asked.calls;
    },
    get parallel() {
      read2.add("parallel");
      return asked.parallel;
    }
  };
  const settle = async (turns) => {
    for (let quiet = 0, seen = events; quiet < turns && !isOver && stop === void 0; quiet++) {
      await turn();
      if (seen !== events) quiet = 0;
      seen = events;
    }
  };
  const outcome = {};
  const act = async () => client(context);
  const done = act().then(
    (result) => {
      outcome.result = result;
      isOver = true;
    },
    (error) => {
      outcome.error = error;
      isOver = true;
    }
  );
  while (!isOver && stop === void 0) {
    await settle(quietTurns);
    if (isOver || stop !== void 0) break;
    const step = time.step();
    if (step === "moved") continue;
    if (step === "beyond") stop = "time";
    else if (underWay > 0) stop = "unanswered";
    else {
      const before = events;
      await settle(stalledTurns);
      if (realTimers() > timersBefore) throw realTimerError(sim);
      if (!isOver && events === before) stop = "stalled";
    }
  }
  if (isOver) await done;
  const hasFailed = "error" in outcome;
  const verdict = judge(sim, { isOver: true, end: isOver ? { hasFailed } : { isInterrupted: true } });
  return { sim, verdict, entries: sim.journal.query(), ...outcome, stop: isOver ? void 0 : stop, read: read2 };
}
function realTimers() {
  const { process: process2 } = globalThis;
  return process2?.getActiveResourcesInfo?.().filter((kind2) => kind2 === "Timeout").length ?? 0;
}
function realTimerError(sim) {
  const last = sim.journal.query().at(-1);
  const after = last === void 0 ? "" : ` after the ${last.status} of ${last.method} ${last.path}`;
  return new Error(
    `Failed to hunt: expected the client to wait by simulated time, got a real timer${after}. Pass it the sleep of its context, hunt(async ({ fetch, sleep }) => { ... }), or call vi.useFakeTimers() or jest.useFakeTimers() before. For a client that can do neither: petstore-sim hunt -- COMMAND.`
  );
}

// src/hunt/mutate.ts
function createDice(seed) {
  let drawn = 0;
  const fraction2 = () => seededFraction(seed, drawn++);
  return { fraction: fraction2, pick: (items) => items[Math.floor(fraction2() * items.length)] };
}
var leftOut = /* @__PURE__ */ new Set([
  "$schema",
  "name",
  "description",
  "group",
  "extends",
  "state",
  "expect",
  "seed",
  "clock.mode",
  "clock.speed",
  "pets.file",
  "pets.generate",
  "client.key",
  // Who may read responses in a browser: nothing in the same process.
  "assumptions.cors",
  // Earlier names of other fields.
  "ban.seconds",
  "ban.graceMs",
  "ban.toleranceMs"
]);
var shortDurations = ["1s", "2s", "3s", "5s", "8s"];
var allDurations = ["1s", "2s", "5s", "10s", "20s", "30s", "45s", "1m", "61s", "2m", "10m", "1h", "12h", "1d", "30d"];
var delays = ["50ms", "500ms", "1s", "3s", "10s", "40s"];
var shortDelays = ["50ms", "300ms", "1s", "3s"];
var { free } = documentedPlans;
var limits = Object.values(documentedPlans).flatMap(({ minute, day }) => [minute, day]);
var smallCounts = [0, 1, 2, 3, 5, 8, 20];
var delaysOf = ({ isRealTime }) => isRealTime ? shortDelays : delays;
var telling = {
  keys: ({ key }) => [key],
  key: ({ key }) => [key],
  background: ({ key }) => [key],
  plan: () => ["free", "free", "pro", "business"],
  plans: () => ["free", "pro"],
  "usage.minute": () => [free.minute, free.minute, free.minute - 1, free.minute - 2],
  "usage.day": () => [free.day, free.day, free.day - 1],
  "plans.minute": () => [1, 2, 3, 5],
  "plans.day": () => [1, 3, 5, 100],
  "generate.available": () => [0, 1, 25, 150],
  headers: () => ["Retry-After", "Retry-After", "X-RateLimit-Reset", "X-RateLimit-Remaining"],
  "headers.Retry-After": () => ["1", "2", "5", "30", "61", "120", "1.5", "0", "soon", "", "-5", "2592000"],
  "headers.X-RateLimit-Remaining": () => ["0", "9"],
  "headers.X-RateLimit-Reset": () => ["37", "0"],
  "respond.status": () => [429, 503, 503, 500, 502, 504, 401, 403, 404, 200],
  skew: () => ["40s", "-40s", "1h", "-1h", "1500ms"],
  start: () => ["2026-01-01T12:00:00Z", "2026-01-01T12:00:00.400Z", "2030-12-05T12:00:00Z"],
  "ids.start": () => ["9007199254740993", "9223372036854770000", 2147483648, 1e3],
  calls: () => [1, 2, 3, 5, 10, 20],
  parallel: () => [1, 2, 5, 10],
  probability: () => [0.1, 0.5, 1],
  failTimes: () => [1, 2, 3, 5, 8],
  delay: delaysOf,
  fixed: delaysOf,
  p50: delaysOf,
  p99: delaysOf,
  bytes: () => [0, 1, 20, 40],
  every: () => [1, 2, 3],
  name: () => ["Rex", "Milo", ""],
  body: () => ["", '{"code":"oops","message":"Something went wrong.","status":500}', "Bad Gateway"],
  extra: () => [{ chip: "x-1" }],
  errorCodes: () => ["rate_limit_exceeded", "key_banned", "unauthorized"]
};
function tellingOf(path, space) {
  const [name = ""] = path.slice(-1);
  const parent = path.findLast((step, at) => at < path.length - 1 && !/^\d+$/.test(step)) ?? "";
  const grand = path.at(-3) ?? "";
  const named2 = telling[`${parent}.${name}`] ?? telling[`${grand}.${name}`] ?? telling[name];
  return named2?.(space);
}
function createMutator(space, { fraction: fraction2, pick }) {
  const isLeftOut = (path) => {
    const text2 = path.join(".");
    if (text2 === "client") return space.client.length === 0;
    return leftOut.has(text2) || path[0] === "client" && !space.client.includes(path[1] ?? "");
  };
  function change(schema, value, path) {
    for (let attempt = 0; attempt < 8; attempt++) {
      const changed = changeOnce(schema, value, path);
      if (changed === void 0 || isValid(schema, changed)) return changed;
    }
    return value;
  }
  function changeOnce(schema, value, path) {
    const { entries, values, names, item, items, options } = schema;
    if (entries !== void 0) return changeFields(entries, isMap(value) ? value : {}, path);
    if (values !== void 0 && names !== void 0) {
      const map = isMap(value) ? value : {};
      const present = Object.keys(map);
      const known2 = (tellingOf(path, space) ?? []).filter((each) => isValid(names, each));
      const name = present.length > 0 && fraction2() < 0.6 ? pick(present) : pick(known2.length > 0 ? known2 : ["other"]);
      return withField(map, name, fraction2() < 0.15 ? void 0 : change(values, map[name], [...path, name]));
    }
    if (item !== void 0) {
      const list2 = Array.isArray(value) ? value : [];
      const at = Math.floor(fraction2() * (Math.min(list2.length, mostItems - 1) + 1));
      if (at < list2.length && fraction2() < 0.3) return list2.toSpliced(at, 1);
      return list2.toSpliced(at, 1, change(item, list2[at], [...path, String(at)]));
    }
    if (items !== void 0) return items.map((each, at) => change(each, void 0, [...path, String(at)]));
    if (isLeaf(schema)) return leafOf(schema, path);
    if (options !== void 0) {
      const accepting = options.filter((option2) => value !== void 0 && option2.accepts(value));
      const option = accepting.length > 0 && fraction2() < 0.7 ? pick(accepting) : pick(options);
      return change(option, option.accepts(value) ? value : void 0, path);
    }
    return value;
  }
  function changeFields(entries, map, path) {
    const names = Object.keys(entries).filter((name) => !isLeftOut([...path, name]));
    let changed = { ...map };
    for (const name of names) {
      if (entries[name]?.isOptional || changed[name] !== void 0) continue;
      changed[name] = change(entries[name], void 0, [...path, name]);
    }
    const present = names.filter((name) => changed[name] !== void 0);
    const optionalNames = names.filter((name) => entries[name]?.isOptional);
    for (let edits = 1 + Math.floor(fraction2() * 1.4); edits > 0 && names.length > 0; edits--) {
      const pool = present.length > 0 && fraction2() < 0.5 ? present : optionalNames.length > 0 ? optionalNames : names;
      const name = pick(pool);
      const schema = entries[name];
      const isRemoved = schema.isOptional && changed[name] !== void 0 && fraction2() < 0.3;
      changed = withField(changed, name, isRemoved ? void 0 : change(schema, changed[name], [...path, name]));
    }
    return changed;
  }
  function leafOf(schema, path) {
    const known2 = tellingOf(path, space);
    if (known2 !== void 0 && known2.length > 0 && fraction2() < 0.85) {
      const fitting = known2.filter((each) => isValid(schema, each));
      if (fitting.length > 0) return pick(fitting);
    }
    const json = jsonOf(schema);
    if (Array.isArray(json.enum)) return pick(json.enum);
    if ("const" in json) return json.const;
    const chain = chainOf(schema);
    if (chain.includes(wholeSeconds) || chain.includes(duration)) {
      return pick(space.isRealTime ? shortDurations : allDurations);
    }
    if (chain.includes(signedDuration)) return pick(["1s", "-1s", "40s", "-40s"]);
    if (chain.includes(instant)) return pick(["2026-01-01T12:00:05Z", "2026-01-01T12:05:00Z", "2030-12-05T00:00:00Z"]);
    if (chain.includes(int64)) return pick([1, 2, 7, 2147483648, "9007199254740993"]);
    if (schema.accepts("") && !schema.accepts(0)) return pick(["", "Rex", "free", space.key]);
    if (schema.accepts(true) && !schema.accepts(0)) return fraction2() < 0.5;
    const { minimum = 0, maximum = Number.POSITIVE_INFINITY } = json;
    const counts = [minimum, minimum + 1, ...smallCounts, ...limits, ...maximum < 1e6 ? [maximum] : []];
    return pick(json.type === "integer" ? counts : [...counts, 0.1, 0.5, 0.9]);
  }
  return (scenario, edits) => {
    let changed = scenario;
    for (let edit = 0; edit < edits; edit++) {
      changed = changeFields(scenarioSchema.entries, changed, []);
    }
    return changed;
  };
}
var mostItems = 2;
function withField(map, name, value) {
  const { [name]: _, ...rest } = map;
  const isEmpty3 = value === void 0 || isMap(value) && Object.keys(value).length === 0;
  return isEmpty3 ? rest : { ...rest, [name]: value };
}
function isValid(schema, value) {
  const issues = [];
  check(schema, value, issues);
  return issues.length === 0;
}
function chainOf(schema) {
  return schema.of === void 0 ? [schema] : [schema, ...chainOf(schema.of)];
}
var jsonOf = (schema) => schema.json ?? {};
var leaves = [duration, wholeSeconds, signedDuration, instant, int64];
var isLeaf = (schema) => schema.options === void 0 || chainOf(schema).some((each) => leaves.includes(each)) || isOfOneKind(schema);
var isOfOneKind = ({ options = [] }) => options.every(
  ({ entries, values, item, options: inner, json = {} }) => [entries, values, item, inner].every((part) => part === void 0) && !("enum" in json) && !("const" in json)
);

// src/hunt/reduce.ts
var plainDurations = ["10s", "1m", "5s", "2s", "1s", "30s", "2m", "10m", "1h", "1d"];
var plainCounts = [1, 2, 3, 5, 10];
function* simplerForms(scenario, keep) {
  const paths = pathsIn(scenario).filter((path) => !keep(path));
  for (const path of paths) yield edited(scenario, path, void 0);
  for (const path of paths) {
    for (const value of plainerThan(valueAt(scenario, path))) yield edited(scenario, path, value);
  }
}
function pathsIn(value, path = []) {
  if (!isMap(value) && !Array.isArray(value)) return [];
  const own = Object.keys(value).map((name) => [...path, name]);
  return [...own, ...own.flatMap((each) => pathsIn(valueAt(value, each.slice(path.length)), each))];
}
var valueAt = (value, path) => path.reduce((inner, name) => inner[name], value);
function edited(value, [name = "", ...rest], replacement) {
  const inner = value[name];
  const changed = rest.length === 0 ? replacement : edited(inner, rest, replacement);
  const isGone = changed === void 0 || replacement === void 0 && isEmpty2(changed);
  if (Array.isArray(value)) return isGone ? value.toSpliced(Number(name), 1) : value.with(Number(name), changed);
  const { [name]: _, ...others } = value;
  if (isGone) return others;
  return { ...value, [name]: changed };
}
var isEmpty2 = (value) => typeof value === "object" && value !== null && Object.keys(value).length === 0;
function plainerThan(value) {
  const before = (list2) => list2.includes(value) ? list2.slice(0, list2.indexOf(value)) : list2;
  if (typeof value === "number") return before(plainCounts).filter((each) => each < value);
  if (isDuration(value)) return before(plainDurations);
  return [];
}
var isDuration = (value) => typeof value === "string" && /^-?\d+(\.\d+)?(ms|s|m|h|d)$/.test(value);
function costOf({ scenario, entries }) {
  const longestMs3 = entries.reduce(
    (most, { arrivedAtMs }, at) => Math.max(most, arrivedAtMs - (entries[at - 1]?.answeredAtMs ?? arrivedAtMs)),
    0
  );
  const leaves2 = pathsIn(scenario).map((path) => valueAt(scenario, path)).filter((value) => typeof value !== "object");
  const oddness = leaves2.reduce((sum, value) => sum + oddnessOf(value), 0);
  return [entries.length, durationClass(longestMs3), leaves2.length, oddness];
}
var durationClass = (ms) => [61e3, 6e5, 864e5].filter((limit2) => ms > limit2).length;
function oddnessOf(value) {
  const place = (list2) => list2.includes(value) ? list2.indexOf(value) : list2.length;
  if (isDuration(value)) return place(plainDurations) + (parseDuration(value.replace(/^-/, "")) > 864e5 ? 1 : 0);
  if (typeof value === "number") return place(plainCounts);
  return 0;
}
function isLess(one, other) {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at >= 0 && one[at] < other[at];
}

// src/hunt/trial.ts
var failuresIn = ({ findings }) => findings.filter(({ severity }) => severity === "fail").map(({ code, text: text2 }) => {
  const [, looksLike = ""] = /looks like (.*?)(?:\. |\.$|$)/.exec(text2) ?? [];
  return { code, cause: withoutNumbers(looksLike), text: text2 };
});
var withoutNumbers = (text2) => text2.replace(/\d+(?:\.\d+)?/g, "N");
var isSameFailure = (one, other) => one !== void 0 && one.code === other?.code && one.cause === other.cause;
function traitsOf({ verdict, entries, end }) {
  const traits = /* @__PURE__ */ new Set([`end ${end}`, `requests ${magnitude(entries.length)}`]);
  for (const code of verdict.exercised) traits.add(`rule ${code}`);
  for (const { code, severity } of verdict.findings) traits.add(`${severity} ${code}`);
  const last = /* @__PURE__ */ new Map();
  let refusals = 0;
  for (const entry of entries) {
    const before = last.get(entry.token);
    if (before !== void 0) {
      const told = promisesOf(before, isRefused(before)).deadlineMs;
      const waited = entry.arrivedAtMs - before.answeredAtMs;
      const asked = told === void 0 ? void 0 : told - before.answeredAtMs;
      traits.add(`wait ${kindOf(before)} ${asked === void 0 ? magnitude(waited / 1e3) : ratio(waited, asked)}`);
    }
    last.set(entry.token, entry);
    traits.add(`response ${entry.operation} ${kindOf(entry)}`);
    if (isRefused(entry)) traits.add(`refusals ${++refusals}`);
  }
  return [...traits];
}
var isRefused = ({ refusal, status: status2 }) => refusal !== void 0 || status2 === 429;
function kindOf(entry) {
  const { status: status2, refusal, headers, isUnreadable, responseBody } = entry;
  const isFailure = status2 === 0 || status2 >= 400;
  const text2 = headers[retryAfterHeader];
  const told = text2 === void 0 ? "none" : /^\d+$/.test(text2) ? `seconds ${magnitude(Number(text2))}` : formOf2(entry);
  const reset = headers[rateLimitHeaders.reset]?.length ?? 0;
  const body = isUnreadable ? "lost" : responseBody.startsWith("{") || responseBody.startsWith("[") ? "json" : "other";
  return [status2, refusal ?? "", isFailure ? `${told}, reset ${reset}` : "", body].join(" ");
}
var formOf2 = (entry) => readRetryAfter(entry) === void 0 ? "unreadable" : "other form";
var magnitude = (value) => value <= 0 ? 0 : Math.max(0, Math.ceil(Math.log2(value) / 2));
var ratio = (waited, asked) => asked <= 0 ? "any" : waited < asked - 50 ? `early ${Math.floor(4 * waited / asked)}` : `late ${magnitude(waited / asked)}`;

// src/hunt/search.ts
var mostFound = 12;
var mostOfCode = 3;
async function search(options) {
  const { run, base, space, runs, seed, lanes, isStopped, onRun } = options;
  const dice = createDice(seed);
  const starts = options.starts.map((start) => merge(start, base));
  const pending = [...starts];
  const corpus = starts.map((scenario) => ({ scenario, picked: 0 }));
  const seen = /* @__PURE__ */ new Set();
  const exercised = /* @__PURE__ */ new Set();
  const found2 = [];
  const known2 = [];
  let begun = 0;
  let done = 0;
  const isKnown = (failure) => known2.some((each) => isSameFailure(each, failure)) || known2.filter(({ code }) => code === failure.code).length >= mostOfCode;
  function next() {
    const start = pending.shift();
    if (start !== void 0) return start;
    const one = leastPicked(corpus, dice.pick);
    one.picked++;
    const crossed = dice.fraction() < 0.15 ? merge(dice.pick(corpus).scenario, one.scenario) : one.scenario;
    const mutate = createMutator(space(), dice);
    return merge(mutate(crossed, 1 + Math.floor(3 * dice.fraction() ** 2)), base);
  }
  async function runNext() {
    for (let attempt = 0; attempt < mostInvalid; attempt++) {
      const trial = await run(next());
      if (trial !== void 0) return trial;
    }
    return void 0;
  }
  async function lane() {
    while (begun < runs && !isStopped() && found2.length < mostFound) {
      begun++;
      const trial = await runNext();
      if (trial === void 0) return;
      done++;
      onRun?.(done, found2.length);
      for (const code of trial.verdict.exercised) exercised.add(code);
      const traits = traitsOf(trial).filter((trait) => !seen.has(trait));
      for (const trait of traits) seen.add(trait);
      if (traits.length > 0) corpus.push({ scenario: trial.scenario, picked: 0 });
      const { failure, failures } = trial;
      if (failure === void 0 || failures.some(isKnown)) continue;
      known2.push(failure);
      const reduced = await reduce(trial, starts, options);
      if (reduced === void 0) known2.splice(known2.indexOf(failure), 1);
      else if (!found2.some((each) => isSameFind(each, reduced))) found2.push(reduced);
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane));
  return { found: found2, runs: done, exercised: [...exercised] };
}
var mostInvalid = 1e3;
function leastPicked(corpus, pick) {
  const drawn = [pick(corpus), pick(corpus), pick(corpus)];
  return drawn.reduce((least2, each) => each.picked < least2.picked ? each : least2);
}
var isSameFind = (one, other) => JSON.stringify(one.scenario) === JSON.stringify(other.scenario) || isSameFailure(one.failure, other.failure);
var cuts = [2, 3, 4, 5, 6, 7, 8, 12, 20, 40];
async function reduce(trial, plain, { run, base, canCut, repeats, reductionRuns: reductionRuns2, isStopped }) {
  let left = reductionRuns2;
  let tries = 1;
  let cut3;
  const again = async (scenario, requests = cut3) => {
    for (let attempt = 0; attempt < tries && left > 0 && !isStopped(); attempt++) {
      left--;
      const other = await run(scenario, requests);
      if (other === void 0 || isSameFailure(other.failure, trial.failure)) return other;
    }
    return void 0;
  };
  let best = trial;
  for (let repeat = 0; repeat < repeats; repeat++) {
    if (await again(trial.scenario) !== void 0) continue;
    tries = 4 * repeats;
    if (await again(trial.scenario) === void 0) return void 0;
    break;
  }
  const shorten = async () => {
    if (!canCut) return;
    for (const requests of cuts.filter((each) => each < best.entries.length)) {
      const other = await again(best.scenario, requests);
      if (other === void 0) continue;
      best = other;
      cut3 = requests;
      return;
    }
  };
  const tried = /* @__PURE__ */ new Set();
  const improve = async (scenario) => {
    const text2 = JSON.stringify(scenario);
    if (tried.has(text2)) return false;
    tried.add(text2);
    const other = await again(scenario);
    if (other === void 0 || !isLess(costOf(other), costOf(best))) return false;
    best = other;
    return true;
  };
  const isOfBase = ([first = "", second]) => first in base && (second === void 0 || second in Object(base[first]));
  await shorten();
  for (const scenario of plain) if (await improve(scenario)) break;
  for (let isBetter = true; isBetter && left > 0; ) {
    isBetter = false;
    for (const scenario of simplerForms(best.scenario, isOfBase)) {
      isBetter = await improve(scenario);
      if (isBetter || left <= 0) break;
    }
    if (!isBetter) {
      const before = best;
      await shorten();
      isBetter = best !== before;
    }
  }
  return best;
}

// src/hunt/starts.ts
var { free: free2 } = documentedPlans;
function startsFor({ key, client }) {
  const withKey = (fields2) => ({ keys: { [key]: fields2 } });
  const usedUp = withKey({ usage: { minute: free2.minute } });
  const faulty = (...faults) => ({ faults });
  const writes = client.includes("operation") ? { client: { operation: "createPet" } } : {};
  const several2 = client.includes("calls") ? { client: { calls: 10 } } : {};
  const parallel = client.includes("parallel") ? { client: { calls: 10, parallel: 10 } } : {};
  return [
    {},
    usedUp,
    withKey({ usage: { minute: free2.minute - 1 } }),
    withKey({ usage: { day: free2.day } }),
    withKey({ bannedFor: "1m" }),
    withKey({ state: "revoked" }),
    { ...usedUp, limits: { retryAfterForm: "http-date" } },
    { ...usedUp, ...writes },
    { ...usedUp, ...parallel },
    { ...usedUp, ...several2 },
    { ...withKey({ usage: { minute: free2.minute - 1 } }), ...several2 },
    faulty({ then: { respond: { status: 503, headers: { "Retry-After": "10" } }, failTimes: 2 } }),
    faulty({ then: { respond: { status: 429, headers: { "Retry-After": "2" } }, countsQuota: false, failTimes: 5 } }),
    { ...writes, ...faulty({ when: { nth: 1 }, then: { reset: true, phase: "after" } }) },
    { ...writes, ...faulty({ when: { nth: 1 }, then: { respond: { status: 500 }, phase: "after" } }) },
    { ...writes, ...faulty({ when: { nth: 1 }, then: { delay: "40s", phase: "after" } }) },
    faulty({ then: { respond: { status: 500 } } }),
    { ids: { start: "9007199254740993" }, ...writes },
    withKey({ bannedFor: "30d" })
  ];
}

// src/hunt/hunt.ts
var huntOptions = { runs: true, seed: true, scenario: true, check: true };
var mostRequests = 200;
var reductionRuns = 400;
async function hunt(client, options = {}) {
  checkOptions("hunt", options, huntOptions);
  const { runs = 1e3, seed = 1, scenario = {}, check: check2 } = options;
  const base = scenario;
  resolveScenario(base);
  const resolve = createResolver();
  const { key } = clientOf(base);
  const read2 = /* @__PURE__ */ new Set();
  async function run(candidate, requests = mostRequests) {
    const resolved = resolve(candidate);
    if (resolved === void 0) return void 0;
    const ran = await runInProcess(client, resolved, requests);
    for (const name of ran.read) read2.add(name);
    return toTrial(candidate, ran, check2);
  }
  const restore = keepFakeTimers();
  try {
    const first = await runInProcess(client, resolve({ client: { key } }), mostRequests);
    checkEnds(first);
    for (const name of first.read) read2.add(name);
    const space = () => ({ key, client: [...read2], isRealTime: false });
    const result = await search({
      run,
      canCut: check2 === void 0,
      base,
      starts: startsFor(space()),
      space,
      runs,
      seed,
      lanes: 1,
      reductionRuns,
      repeats: 2,
      isStopped: () => false
    });
    const found2 = result.found.map((trial) => toFind(trial, seed));
    return { found: found2, runs: result.runs, seed, exercised: result.exercised };
  } finally {
    restore();
  }
}
function toTrial(scenario, ran, check2) {
  const { verdict, entries, stop } = ran;
  const end = stop ?? ("error" in ran ? "threw" : "returned");
  const failures = stop === "stalled" ? [neverEnds] : check2 === void 0 ? failuresIn(verdict) : broken(check2, ran);
  return { scenario, verdict, entries, end, failures, failure: failures[0] };
}
var neverEnds = {
  code: "never-ends",
  cause: "",
  text: "The client waits, though no response and no timer is due."
};
function broken(check2, { sim, verdict, result, error }) {
  try {
    if (check2({ sim, verdict, result, error }) !== false) return [];
    return [{ code: "check", cause: "", text: "The property does not hold: check returned false." }];
  } catch (thrown) {
    const text2 = thrown instanceof Error ? thrown.message : String(thrown);
    return [{ code: "check", cause: withoutNumbers(text2), text: text2 }];
  }
}
function checkEnds({ stop, entries }) {
  if (stop === void 0) return;
  throw new Error(
    `Failed to hunt: expected the client to return where nothing goes wrong, got ${entries.length} requests and no end. Let it make its calls once, and return or throw.`
  );
}
var toFind = ({ scenario, verdict, entries, failure }, seed) => {
  const { code, text: text2 } = failure;
  const repeat = `await hunt(client, { runs: 1, scenario: ${JSON.stringify(scenario)} })`;
  const described = describeFind(scenario, { code, text: text2, repeat, seed });
  return {
    code,
    text: text2,
    scenario,
    yaml: described,
    repeat,
    verdict,
    timeline: terminalReport(entries, verdict)
  };
};
function createResolver() {
  const { pets: pets2 } = resolveScenario({});
  return (scenario) => {
    try {
      if (scenario.pets !== void 0 || scenario.categories !== void 0) return resolveScenario(scenario);
      const resolved = resolveScenario({ ...scenario, pets: [] });
      return { ...resolved, pets: pets2, scenario: { ...resolved.scenario, pets: defaultScenario.pets } };
    } catch (error) {
      if (error.name === "ScenarioError") return void 0;
      throw error;
    }
  };
}
function keepFakeTimers() {
  const clock = fakeClock();
  const { now, tickMode } = clock ?? {};
  clock?.setTickMode?.({ mode: "manual" });
  return () => {
    if (clock === void 0) return;
    clock.reset();
    clock.setSystemTime(now);
    if (tickMode !== void 0) clock.setTickMode?.(tickMode);
  };
}

// ../../../tmp/try.ts
var fixed = async ({ fetch, sleep, baseUrl: baseUrl2, apiKey }) => {
  for (let i = 0; i < 5; i++) {
    const r = await fetch(`${baseUrl2}/pets`, { headers: { authorization: `Bearer ${apiKey}` } });
    await r.text();
    if (r.status !== 429) return r.status;
    await sleep(1e3);
  }
};
var cap = (s) => async ({ fetch, sleep, baseUrl: baseUrl2, apiKey }) => {
  for (let i = 0; i < 5; i++) {
    const r = await fetch(`${baseUrl2}/pets`, { headers: { authorization: `Bearer ${apiKey}` } });
    await r.text();
    if (r.status !== 429) return r.status;
    await sleep(Math.min(s * 1e3, Number(r.headers.get("retry-after")) * 1e3));
  }
};
var right = async ({ fetch, sleep, baseUrl: baseUrl2, apiKey }) => {
  for (let i = 0; i < 5; i++) {
    const r = await fetch(`${baseUrl2}/pets`, { headers: { authorization: `Bearer ${apiKey}` } });
    await r.text();
    if (r.status !== 429) return r.status;
    const t = r.headers.get("retry-after");
    await sleep(Math.max(/^\d+(\.\d+)?$/.test(t ?? "") ? Math.ceil(Number(t)) * 1e3 : t && /[a-z]/i.test(t) && !Number.isNaN(Date.parse(t)) ? Date.parse(t) - Date.parse(r.headers.get("date")) : 6e4, 1e3 * 2 ** i));
  }
};
for (const [name, c] of Object.entries({ fixed, cap30: cap(30), right })) {
  const t = performance.now(), cpu = process.cpuUsage();
  const res = await hunt(c, { runs: 3e3 });
  const u = process.cpuUsage(cpu);
  console.log(name, res.runs, "wall", Math.round(performance.now() - t), "cpu", Math.round((u.user + u.system) / 1e3), res.exercised.join(" "));
  for (const f of res.found) console.log(f.yaml + "\n" + f.verdict.counts.requests, f.verdict.findings.map((x) => x.code).join());
}
