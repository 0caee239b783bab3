import { expect, test } from "vitest";
import type { InstanceStore } from "../../store/instances/instance-store.js";
import { createTaskQuota } from "./task-quota.js";

/** Creates a store that records the owners whose tasks it counts. */
function openCounts(total: number) {
  const asked: (string | undefined)[] = [];
  const store = {
    async countTasks(owner?: string) {
      asked.push(owner);
      return { active: 0, total };
    },
  };
  return { store, asked };
}

test("the tasks of an owner are counted in the store only once [SRV-10]", async () => {
  const { store, asked } = openCounts(0);
  const quota = createTaskQuota(store, { maxTasksPerOwner: 100 });

  for (let index = 0; index < 50; index += 1) {
    await quota.check("alice");
    quota.add("alice");
  }

  expect(asked).toEqual(["alice"]);
});

test("a task beyond the limit of its owner is refused until the counts are reset [SRV-10]", async () => {
  const { store } = openCounts(1);
  const quota = createTaskQuota(store, { maxTasksPerOwner: 2 });
  await quota.check("alice");
  quota.add("alice");

  await expect(quota.check("alice")).rejects.toMatchObject({
    code: "agent-busy",
    data: { maxTasks: 2 },
  });
  await expect(quota.check("bob")).resolves.toBeUndefined();
  quota.reset();
  await expect(quota.check("alice")).resolves.toBeUndefined();
});

test("the tasks of an owner are counted again after a count failed [SRV-10]", async () => {
  const { store } = openCounts(0);
  let isBroken = true;
  const quota = createTaskQuota(
    {
      countTasks: async (owner) => {
        if (isBroken) throw new Error("the store is busy");
        return await store.countTasks(owner);
      },
    },
    { maxTasksPerOwner: 1 },
  );

  await expect(quota.check("alice")).rejects.toThrow("the store is busy");
  isBroken = false;

  await expect(quota.check("alice")).resolves.toBeUndefined();
});

test("if instances share the store, tasks are counted again after two seconds [SRV-27]", async () => {
  const { store, asked } = openCounts(0);
  let now = 0;
  const shared = { ...store, instances: {} as InstanceStore };
  const quota = createTaskQuota(shared, { maxTasksPerOwner: 9 }, { elapsedMs: () => now });

  await quota.check("alice");
  now = 1_999;
  await quota.check("alice");
  const early = asked.length;
  now = 2_000;
  await quota.check("alice");
  await quota.check("bob");
  now = 3_999;
  await quota.check("alice");

  expect([early, asked]).toEqual([1, ["alice", "alice", "bob"]]);
});
