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
  const LEFT = 74, TOP = 16, WIDTH = 450, HEIGHT = 340; // as scatter.py has them
  const x = (place) => +(LEFT + place * WIDTH).toFixed(2);
  const y = (place) => +(TOP + (1 - place) * HEIGHT).toFixed(2);

  function frontier(across, up) {
    const drawn = data.runs.map((_, run) => run)
      .filter((run) => across.axis.places[run] !== null && up.axis.places[run] !== null);
    const front = drawn.filter((run) => !drawn.some((other) =>
      across.ranks[other] <= across.ranks[run] && up.ranks[other] <= up.ranks[run]
      && (across.ranks[other] < across.ranks[run] || up.ranks[other] < up.ranks[run])));
    return front.sort((one, other) => across.ranks[other] - across.ranks[one] || one - other);
  }

  function drawScatter() {
    const across = data.measures[at("across-choice").value], up = data.measures[at("up-choice").value];
    const front = frontier(across, up);
    const place = (run) => [x(across.axis.places[run]), y(up.axis.places[run])];
    for (const point of all("#scatter .point")) {
      const run = +point.dataset.run;
      const there = across.axis.places[run] !== null && up.axis.places[run] !== null;
      point.classList.toggle("front", front.includes(run));
      point.setAttribute("visibility", there ? "visible" : "hidden");
      if (!there) continue;
      const [right, down] = place(run);
      point.setAttribute("transform", `translate(${right} ${down})`);
      const left = right > LEFT + 0.7 * WIDTH;
      const label = point.querySelector("text");
      label.setAttribute("x", left ? -9 : 9);
      label.setAttribute("y", Math.max(front.indexOf(run), 0) % 2 ? 16 : -6);
      label.setAttribute("text-anchor", left ? "end" : "start");
    }
    document.querySelector("#scatter .frontier").setAttribute("d", front.map((run, number) => {
      const [right, down] = place(run);
      return number ? `V${down}H${right}` : `M${right} ${down}`;
    }).join(""));
    at("across").replaceChildren(...across.axis.ticks.flatMap(([where, text]) => [
      made("line", { x1: x(where), x2: x(where), y1: TOP, y2: TOP + HEIGHT }),
      made("text", { x: x(where), y: TOP + HEIGHT + 18, "text-anchor": "middle" }, text)]));
    at("up").replaceChildren(...up.axis.ticks.flatMap(([where, text]) => [
      made("line", { x1: LEFT, x2: LEFT + WIDTH, y1: y(where), y2: y(where) }),
      made("text", { x: LEFT - 8, y: y(where), dy: 4, "text-anchor": "end" }, text)]));
    at("across-label").textContent = across.axis.label;
    at("up-label").textContent = up.axis.label;
  }

  const named = directed.map((index) => [String(index), data.measures[index].name]);
  if (at("against")) {
    for (const select of [at("across-choice"), at("up-choice")]) {
      offer(select, named, select.dataset.chosen);
      select.addEventListener("change", drawScatter);
    }
    document.querySelector("#against .choices").hidden = false;
  }

  // -------------------------------------------------------------------------------- two runs, query by query
  const signed = (value) => (value > 0 ? "+" : value < 0 ? "−" : "") + +Math.abs(value).toPrecision(3);

  function gains(first, second, index) {
    const better = data.measures[index].better;
    const goodness = { higher: (value) => value, lower: (value) => -value, "nearer 0": (value) => -Math.abs(value) }[better];
    const [from, to] = [data.values[index][first], data.values[index][second]];
    return data.qids
      .map((qid, query) => ({ qid, from: from[query], to: to[query] }))
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
    const left = 74, right = 630, top = 24, bottom = 216;
    const high = Math.max(0, ...both.map(({ gain }) => gain)), low = Math.min(0, ...both.map(({ gain }) => gain));
    const down = (gain) => top + (bottom - top) * (high - gain) / (high - low || 1);
    const step = (right - left) / Math.max(both.length, 1);
    const tick = (gain) => made("text", { x: left - 8, y: down(gain), dy: 4, "text-anchor": "end" }, signed(gain));
    at("bars").replaceChildren(
      ...both.map(({ qid, from, to, gain }, number) => {
        const bar = made("rect", {
          x: left + number * step, width: Math.max(step - Math.min(1.5, step / 4), 0.2), y: down(Math.max(gain, 0)),
          height: Math.abs(down(gain) - down(0)), class: gain > 0 ? "better" : "worse",
        });
        bar.append(made("title", {}, `${qid}: ${to} after ${from}, ${signed(gain)}`));
        return bar;
      }),
      made("path", { class: "axis", d: `M${left} ${down(0)}H${right}M${left} ${top}V${bottom}` }),
      ...[high, 0, low].filter((gain) => gain === 0 || Math.abs(down(gain) - down(0)) > 16).map(tick),
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
  }
})();
