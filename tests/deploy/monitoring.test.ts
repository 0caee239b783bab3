import { createPrometheusMetrics } from "@dt/server";
import { expect, test } from "vitest";
import { openStage } from "../e2e/support/open-stage.js";
import { readText } from "../repository/repository.js";
import { type Parsed, readYaml } from "./deploy-files.js";

interface Rule {
  readonly alert: string;
  readonly expr: string;
}

const rules: readonly Rule[] = readYaml("deploy/monitoring/alerts.yaml").groups.flatMap(
  (group: Parsed) => group.rules,
);

const dashboard = JSON.parse(readText("deploy/monitoring/dashboard.json"));
const panels: readonly Parsed[] = dashboard.panels.filter((panel: Parsed) => panel.type !== "row");

const WORDS = new Set(
  "sum by rate increase max topk histogram_quantile label_values le and or".split(" "),
);

/** Returns the metrics and labels in a PromQL expression: its words without functions and texts. */
function namesIn(expression: string): readonly string[] {
  const plain = expression.replace(/"[^"]*"/g, "").replace(/\[[^\]]*\]/g, "");
  const names = plain.match(/[a-z_][a-z_0-9]*/g) ?? [];
  return [...new Set(names)].filter((name) => !WORDS.has(name) && name.length > 1);
}

/** Reads the metrics of a running server: the names of their series, and the labels. */
async function readServed() {
  await using stage = await openStage({ server: { metrics: createPrometheusMetrics() } });
  const page = await (await fetch(`${stage.url}metrics`)).text();
  const names = [...page.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = "", type]) =>
    type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  return new Set(names);
}

/** Reads the labels that our code gives the series, and adds the labels that Prometheus sets. */
function readLabels(): ReadonlySet<string> {
  const source = readText("packages/server/src/metrics/prometheus-meters.ts");
  const lists = [...source.matchAll(/\[([^\]]*)\]/g)].flatMap(([, list = ""]) =>
    [...list.matchAll(/"([a-z]+)"/g)].map(([, label = ""]) => label),
  );
  return new Set([...lists, "instance", "job"]);
}

test("the dashboard and the alerts name only metrics that a running server has [SRV-16]", async () => {
  const served = await readServed();
  const labels = readLabels();
  const known = (name: string) => served.has(name) || labels.has(name) || name === "up";

  const expressions = [
    ...rules.map(({ alert, expr }) => [alert, expr] as const),
    ...panels.flatMap(({ title, targets }) =>
      targets.map(({ expr }: Parsed) => [title, expr] as const),
    ),
    ...dashboard.templating.list.flatMap(({ name, query }: Parsed) =>
      query === "prometheus" ? [] : [[name, query] as const],
    ),
    ["autoscaling", readYaml("deploy/monitoring/prometheus-adapter.yaml").rules.custom[0].name.as],
  ];
  const unknown = expressions.flatMap(([where, expression]) =>
    namesIn(expression)
      .filter((name) => !known(name))
      .map((name) => `${where}: ${name}`),
  );
  expect(unknown).toEqual([]);
  expect(expressions.length).toBeGreaterThan(40);
});

test("namesIn() finds the metrics and labels of an expression, even those that do not exist", () => {
  expect(namesIn('sum by (tool) (rate(dt_gone_total{stat="x"}[5m])) > 0.2')).toEqual([
    "tool",
    "dt_gone_total",
    "stat",
  ]);
});

test("the dashboard shows every metric of dt-server", async () => {
  const shown = JSON.stringify(panels);
  const served = [...(await readServed())].filter((name) => /^dt_.*[a-z]$/.test(name));
  const bases = new Set(served.map((name) => name.replace(/_(bucket|sum|count)$/, "")));

  expect([...bases].filter((name) => !shown.includes(name))).toEqual([]);
});

test("each alert says what happened and what to do, and each panel has its own position", () => {
  for (const rule of rules as readonly Parsed[]) {
    expect(rule.annotations.summary, rule.alert).toBeTruthy();
    expect(rule.annotations.description, rule.alert).toMatch(/\.$/);
    expect(["critical", "warning", "info"]).toContain(rule.labels.severity);
  }
  const places = dashboard.panels.map(({ gridPos }: Parsed) => `${gridPos.x} ${gridPos.y}`);
  expect(new Set(places).size).toBe(places.length);
});
