// The page can be read without this. It sorts the table, moves the scatter to other measures, marks a run wherever it
// stands, and draws what two runs differ by. Directions, ranks and axes are in the data; nothing is decided here.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
  const directed = data.measures.map((measure, index) => (measure.axis ? index : -1)).filter((index) => index >= 0);

  function made(name, attributes, text) {
    const drawn = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) drawn.setAttribute(key, value);
    if (text !== undefined) drawn.textContent = text;
    return drawn;
  }

  function offer(select, pairs, chosen) {
    select.replaceChildren(...pairs.map(([value, text]) => new Option(text, value, false, value === chosen)));
  }

  // ------------------------------------------------------------------------------------------------- the table
  const board = at("board");
  const body = board.tBodies[0];
  const rows = all("tr", body);

  function sortBy(heading) {
    const again = heading.getAttribute("aria-sort") !== null && !heading.classList.contains("turned");
    const measure = data.measures[heading.dataset.measure];
    for (const each of all("th", board.tHead)) {
      each.removeAttribute("aria-sort");
      each.classList.remove("turned");
    }
    heading.setAttribute("aria-sort", "other");
    heading.classList.toggle("turned", again);
    const defined = measure.order.filter((run) => measure.ranks[run]);
    const undefinedOnes = measure.order.filter((run) => !measure.ranks[run]);
    body.append(...(again ? defined.reverse() : defined).map((run) => rows[run]), ...undefinedOnes.map((run) => rows[run]));
    board.classList.remove("unranked");
    rows.forEach((row, run) => { row.cells[0].textContent = measure.ranks[run] || "-"; });
    at("by").textContent = measure.by + (again ? "; shown from the last to the first" : "");
  }

  function button(inside, click) {
    const made = document.createElement("button");
    made.type = "button";
    made.append(...inside.childNodes);
    made.addEventListener("click", click);
    inside.append(made);
    return made;
  }

  if (rows.length > 1) {
    for (const heading of all("th[data-measure]", board.tHead)) button(heading, () => sortBy(heading));
  }

  // ---------------------------------------------------------------------------------- a run, wherever it stands
  function everywhere(run, name, on) {
    for (const each of all(`[data-run="${run}"]`)) each.classList.toggle(name, on);
    drawLabels();
  }

  function pick(run) {
    const on = !rows[run].classList.contains("picked");
    everywhere(run, "picked", on);
    rows[run].querySelector("button").setAttribute("aria-pressed", on);
  }

  rows.forEach((row, run) => {
    button(row.querySelector("th bdi"), () => pick(run)).setAttribute("aria-pressed", "false");
  });
  for (const each of all("[data-run]")) {
    each.addEventListener("pointerenter", () => everywhere(each.dataset.run, "lit", true));
    each.addEventListener("pointerleave", () => everywhere(each.dataset.run, "lit", false));
    if (each.classList.contains("point")) each.addEventListener("click", () => pick(each.dataset.run));
  }

  // ----------------------------------------------------------------------------------------------- the scatter
  const NEAR = 4, CLEAR = 6, TWIN = 3; // as labeling.py has them
  const REACH = [0, 8, 16, 28, 40, 56, 76, 100, 130, 170, 220]; // how far from its dot a label may stand; a line leads to it
  const CORNERS = [1, 7, 3, 5, 0, 4, 2, 6].map((turn) => turn * Math.PI / 4);
  const BETWEEN = [1, 15, 7, 9, 3, 13, 5, 11].map((turn) => turn * Math.PI / 8);
  const [LEFT, TOP, RIGHT, BOTTOM] = data.field || [];
  const x = (place) => +(LEFT + place * (RIGHT - LEFT)).toFixed(2);
  const y = (place) => +(BOTTOM - place * (BOTTOM - TOP)).toFixed(2);
  const points = all("#scatter .point").sort((one, other) => one.dataset.run - other.dataset.run);
  let dots = [];

  function findFront(across, up) {
    const drawn = data.runs.map((_, run) => run)
      .filter((run) => across.axis.places[run] !== null && up.axis.places[run] !== null)
      .filter((run) => across.ranks[run] && up.ranks[run]); // 0 is a value that is not compared with others
    const front = drawn.filter((run) => !drawn.some((other) =>
      across.ranks[other] <= across.ranks[run] && up.ranks[other] <= up.ranks[run]
      && (across.ranks[other] < across.ranks[run] || up.ranks[other] < up.ranks[run])));
    return front.sort((one, other) => across.ranks[other] - across.ranks[one] || one - other);
  }

  function stacked(places) { // those on top first; what would be hidden under another becomes a ring round it
    const made = [];
    for (const dot of places) {
      const twin = made.findLast((other) => Math.hypot(other.x - dot.x, other.y - dot.y) < TWIN);
      made.push(twin ? { run: dot.run, x: twin.x, y: twin.y, radius: twin.radius + (twin.radius < 20 ? 4 : 1), stack: twin.stack }
        : { ...dot, radius: 5, stack: dot.run });
    }
    return made;
  }

  function drawScatter() {
    const across = data.measures[at("across-choice").value], up = data.measures[at("up-choice").value];
    const front = findFront(across, up);
    const place = (run) => ({ run, x: x(across.axis.places[run]), y: y(up.axis.places[run]) });
    const order = [...front, ...points.map((_, run) => run).filter((run) => !front.includes(run))];
    dots = stacked(order.filter((run) => across.axis.places[run] !== null && up.axis.places[run] !== null).map(place));
    points.forEach((point, run) => {
      const dot = dots.find((each) => each.run === run);
      point.classList.toggle("front", front.includes(run));
      point.classList.toggle("apart", !(across.ranks[run] && up.ranks[run]));
      point.setAttribute("visibility", dot ? "visible" : "hidden");
      if (!dot) return;
      point.setAttribute("transform", `translate(${dot.x} ${dot.y})`);
      point.querySelector("circle").setAttribute("r", dot.radius);
    });
    at("scatter").append(...order.reverse().map((run) => points[run])); // the last is on top
    document.querySelector("#scatter .front-line").setAttribute("d", front.map((run, number) => {
      const { x: right, y: down } = place(run);
      return number ? `V${down}H${right}` : `M${right} ${down}`;
    }).join(""));
    at("across").replaceChildren(...across.axis.ticks.flatMap(([where, text]) => [
      made("line", { x1: x(where), x2: x(where), y1: TOP, y2: BOTTOM }),
      made("text", { x: x(where), y: BOTTOM + 20, "text-anchor": "middle" }, text)]));
    at("up").replaceChildren(...up.axis.ticks.flatMap(([where, text]) => [
      made("line", { x1: LEFT, x2: RIGHT, y1: y(where), y2: y(where) }),
      made("text", { x: LEFT - 8, y: y(where), dy: ".35em", "text-anchor": "end" }, text)]));
    at("across-label").textContent = across.axis.label;
    at("up-label").textContent = up.axis.upwards;
    drawLabels();
  }

  // A label stands beside its dot or at the end of a line to it, clear of all other dots, labels and lines; where there
  // is no such place it is left out, and pointing at the dot or the table tells which is which.
  function drawLabels() {
    const few = document.querySelector("#scatter.few") !== null;
    const has = (name) => ({ run }) => points[run].classList.contains(name);
    const wanted = new Set([...dots.filter(has("front")), ...dots.filter(() => few), ...dots.filter(has("picked")), ...dots.filter(has("lit"))]);
    const boxes = [], lines = [];
    for (const point of points) point.classList.remove("named");
    for (const dot of wanted) {
      const label = points[dot.run].querySelector("text");
      const size = parseFloat(getComputedStyle(label).fontSize);
      const spot = spotFor(dot, label.getComputedTextLength(), 1.1 * size, boxes, lines);
      if (!spot) continue;
      boxes.push(spot.box);
      lines.push(...spot.line);
      label.setAttribute("x", (spot.middle[0] - dot.x).toFixed(2));
      label.setAttribute("y", (spot.middle[1] - dot.y).toFixed(2));
      label.setAttribute("text-anchor", spot.anchor);
      points[dot.run].classList.add("named");
      points[dot.run].querySelector(".lead").setAttribute("d", spot.lead);
    }
  }

  function spotFor(dot, width, height, boxes, lines) {
    const others = dots.filter(({ stack }) => stack !== dot.stack);
    const outer = Math.max(...dots.filter(({ stack }) => stack === dot.stack).map(({ radius }) => radius));
    const away = (box, { x, y }) => Math.hypot(Math.max(box[0] - x, x - box[2], 0), Math.max(box[1] - y, y - box[3], 0));
    const apart = (one, other) => one[0] > other[2] + 2 || other[0] > one[2] + 2 || one[1] > other[3] + 2 || other[1] > one[3] + 2;
    for (const reach of REACH) {
      for (const turn of reach ? [...CORNERS, ...BETWEEN] : CORNERS) {
        const [right, down] = [Math.cos(turn), -Math.sin(turn)];
        const [side, under] = [Math.round(right), Math.round(down)];
        const on = (far) => ({ x: dot.x + right * far, y: dot.y + down * far });
        const end = on(outer + NEAR + reach), left = end.x + (side - 1) / 2 * width, top = end.y + (under - 1) / 2 * height;
        const box = [left, top, left + width, top + height];
        if (box[0] < LEFT + 2 || box[1] < TOP - 14 || box[2] > 558 || box[3] > BOTTOM - 2) continue;
        if (!others.every((other) => away(box, other) >= other.radius + CLEAR)) continue;
        if (!boxes.every((other) => apart(box, other)) || !lines.every((each) => away(box, each) >= 3)) continue;
        const line = reach ? Array.from({ length: Math.ceil((reach + 2) / 4) }, (_, step) => on(outer + 4 * step)) : [];
        const free = (each) => boxes.every((other) => away(other, each) >= 3)
          && others.every((other) => Math.hypot(each.x - other.x, each.y - other.y) >= other.radius + 3)
          && lines.every((other) => Math.hypot(each.x - other.x, each.y - other.y) >= 4);
        if (!line.every(free)) continue;
        const lead = [outer, outer + reach + 2].map((far) => `${(right * far).toFixed(1)} ${(down * far).toFixed(1)}`);
        return { box, line, middle: [end.x, top + height / 2], anchor: ["end", "middle", "start"][side + 1], lead: reach ? `M${lead.join("L")}` : "" };
      }
    }
    return null;
  }

  const named = directed.map((index) => [String(index), data.measures[index].name]);
  if (at("against")) {
    for (const select of [at("across-choice"), at("up-choice")]) {
      offer(select, named, select.dataset.chosen);
      select.addEventListener("change", drawScatter);
    }
    document.querySelector("#against .choices").hidden = false;
    drawScatter();
    matchMedia("(max-width: 40rem)").addEventListener("change", drawLabels);
  }

  // -------------------------------------------------------------------------------- two runs, query by query
  const signed = (value) => (value > 0 ? "+" : value < 0 ? "−" : "") + +Math.abs(value).toPrecision(3);

  function gains(first, second, index) {
    const better = data.measures[index].better;
    const goodness = { higher: (value) => value, lower: (value) => -value, "nearer 0": (value) => -Math.abs(value) }[better];
    const [from, to] = [data.values[index][first], data.values[index][second]];
    return data.qids
      .map((qid, query) => ({ qid: data.texts[query] ? `${qid} (${data.texts[query]})` : qid, from: from[query], to: to[query] }))
      .filter((each) => each.from !== null && each.to !== null)
      .map((each) => ({ ...each, gain: +(goodness(each.to) - goodness(each.from)).toPrecision(6) }))
      .sort((one, other) => other.gain - one.gain);
  }

  function drawDifferences() {
    const [first, second, index] = ["first", "second", "measure"].map((name) => +at(`${name}-choice`).value);
    const both = gains(first, second, index);
    const count = (test) => both.filter(({ gain }) => test(gain)).length;
    const [better, worse] = [count((gain) => gain > 0), count((gain) => gain < 0)];
    const without = data.qids.length - both.length;
    at("verdict").textContent = `${data.runs[second]} against ${data.runs[first]}, ${data.measures[index].name}: better in ${better}, equal in ${both.length - better - worse}, `
      + `worse in ${worse} of ${both.length} queries` + (without ? `; ${without} without a value for both` : "");
    drawBars(both);
    at("second-name").textContent = data.runs[second];
    at("first-name").textContent = data.runs[first];
    at("queries").tBodies[0].replaceChildren(...both.map(({ qid, from, to, gain }) => {
      const row = document.createElement("tr");
      const head = document.createElement("th");
      head.scope = "row";
      head.className = "run";
      head.textContent = qid;
      row.append(head);
      for (const text of [to, from, signed(gain)]) row.insertCell().textContent = text;
      return row;
    }));
  }

  function drawBars(both) {
    const right = 630, top = 24, bottom = 216;
    const high = Math.max(0, ...both.map(({ gain }) => gain)), low = Math.min(0, ...both.map(({ gain }) => gain));
    const down = (gain) => top + (bottom - top) * (high - gain) / (high - low || 1);
    const ticks = [...new Set([high, 0, low])].filter((gain) => gain === 0 || Math.abs(down(gain) - down(0)) > 16)
      .map((gain) => made("text", { y: down(gain), dy: ".35em", "text-anchor": "end" }, signed(gain)));
    at("bars").replaceChildren(...ticks);
    const left = 16 + Math.max(...ticks.map((tick) => tick.getComputedTextLength())); // no sign is cut off
    for (const tick of ticks) tick.setAttribute("x", left - 8);
    const step = (right - left) / Math.max(both.length, 1);
    at("bars").append(
      ...both.map(({ qid, from, to, gain }, number) => {
        const bar = made("rect", {
          x: left + number * step, width: Math.max(step - Math.min(1.5, step / 4), 0.2), y: down(Math.max(gain, 0)),
          height: Math.abs(down(gain) - down(0)), class: gain > 0 ? "better" : "worse",
        });
        bar.append(made("title", {}, `${qid}: ${to} after ${from}, ${signed(gain)}`));
        return bar;
      }),
      made("path", { class: "axis", d: `M${left} ${down(0)}H${right}M${left} ${top}V${bottom}` }),
      ...(high > 0 ? [made("text", { x: right, y: top + 4, "text-anchor": "end" }, "↑ better")] : []),
      ...(low < 0 ? [made("text", { x: left + 8, y: bottom }, "↓ worse")] : []),
    );
  }

  if (data.values && at("differences")) {
    const numbered = body.querySelector(".number") !== null;
    const runs = data.runs.map((name, run) => [String(run), numbered ? `${run + 1} ${name}` : name]);
    offer(at("second-choice"), runs, "0");
    offer(at("first-choice"), runs, "1");
    offer(at("measure-choice"), named, named[0][0]);
    for (const name of ["first", "second", "measure"]) at(`${name}-choice`).addEventListener("change", drawDifferences);
    at("differences").hidden = false;
    drawDifferences();
    matchMedia("(max-width: 40rem)").addEventListener("change", drawDifferences);
  }
})();
