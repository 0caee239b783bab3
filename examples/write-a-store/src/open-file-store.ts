import { open } from "node:fs/promises";
import { openMemoryStore, type SessionStore } from "@dt/server";
import { createCallLog, replayCalls } from "./call-log.js";

/**
 * Opens a store that writes every change as one line of a file and replays the lines when it opens. All
 * data is in memory too, so the store suits only small data. It shows which methods a driver must have.
 */
export async function openFileStore(file: string): Promise<SessionStore> {
  const memory = openMemoryStore();
  await replayCalls(file, memory);
  const handle = await open(file, "a");
  const { write, settled } = createCallLog(handle);

  return {
    ...memory,
    async check() {
      await settled();
      return await memory.check();
    },
    // The line is written before the change is visible. If the store in memory refuses the change, every
    // replay refuses it again, so the line does no harm.
    async commit(commits) {
      await write("commit", commits);
      return await memory.commit(commits);
    },
    async acquire(contextId, options) {
      await write("acquire", contextId, options);
      const lease = await memory.acquire(contextId, options);
      const release = async () => {
        await write("release", contextId, lease.epoch);
        await lease.release();
      };
      return { ...lease, release };
    },
    async saveView(view) {
      await write("saveView", view);
      await memory.saveView(view);
    },
    async changeOwner(from, to) {
      await write("changeOwner", from, to);
      return await memory.changeOwner(from, to);
    },
    async deleteSession(contextId) {
      await write("deleteSession", contextId);
      await memory.deleteSession(contextId);
    },
    async savePush(push, limit) {
      await write("savePush", push, limit);
      return await memory.savePush(push, limit);
    },
    async deletePush(key) {
      await write("deletePush", key);
      await memory.deletePush(key);
    },
    async notePush(push, progress) {
      await write("notePush", push, progress);
      return await memory.notePush(push, progress);
    },
    async claimPushes(due) {
      await write("claimPushes", due);
      return await memory.claimPushes(due);
    },
    async resumePushes(now, scope) {
      await write("resumePushes", now, scope);
      return await memory.resumePushes(now, scope);
    },
    async createToken(token) {
      await write("createToken", token);
      return await memory.createToken(token);
    },
    async revokeToken(name, at) {
      await write("revokeToken", name, at);
      return await memory.revokeToken(name, at);
    },
    async noteTokenUse(id, at) {
      await write("noteTokenUse", id, at);
      await memory.noteTokenUse(id, at);
    },
    async createGrant(grant, limits) {
      await write("createGrant", grant, limits);
      return await memory.createGrant(grant, limits);
    },
    async revokeGrant(key, at) {
      await write("revokeGrant", key, at);
      return await memory.revokeGrant(key, at);
    },
    async close() {
      await memory.close();
      await handle.close();
    },
  };
}
