import { type File, Storage } from "@google-cloud/storage";
import type { ObjectBucket } from "./object-bucket.js";
import { type BucketRetries, DEFAULT_RETRIES, retryRequest, statusOf } from "./retry.js";

/** Options of {@link openGoogleBucket}. */
export interface GoogleBucketOptions {
  readonly bucket: string;
  /** Folder in the bucket, with a slash at its end; "" for the whole bucket. */
  readonly prefix: string;
  readonly projectId?: string | undefined;
  /** File with the key of a service account. Default: the credentials of the machine. */
  readonly keyFile?: string | undefined;
  /**
   * Address of another server that speaks the JSON API. No credentials are sent to it. Default: the server of Google.
   */
  readonly endpoint?: string | undefined;
  readonly retries?: BucketRetries;
}

/** Size from which an object is uploaded in a resumable session, as Google recommends. */
const RESUMABLE_BYTES = 8 * 1024 * 1024;
const JSON_TYPE = "application/json";

/** Opens a bucket of Google Cloud Storage. Sends no request. */
export function openGoogleBucket(options: GoogleBucketOptions): ObjectBucket {
  const { prefix, endpoint, projectId, keyFile, retries = DEFAULT_RETRIES } = options;
  const storage = new Storage({
    ...(projectId !== undefined && { projectId }),
    ...(keyFile !== undefined && { keyFilename: keyFile }),
    ...(endpoint !== undefined && { apiEndpoint: endpoint, projectId: projectId ?? "local" }),
    // Only retryRequest repeats requests. The library would repeat some requests and not others.
    retryOptions: { autoRetry: false, maxRetries: 0 },
  });
  const bucket = storage.bucket(options.bucket);
  const place = `${options.bucket}${prefix === "" ? "" : `/${prefix.slice(0, -1)}`}`;
  const fileOf = (name: string) => bucket.file(prefix + name);
  const retry = <TResult>(work: () => Promise<TResult>) => retryRequest(place, work, retries);

  async function upload(
    file: File,
    body: string | Buffer,
    { contentType, generation }: { readonly contentType: string; readonly generation?: string },
  ): Promise<string> {
    await file.save(body, {
      contentType,
      resumable: Buffer.byteLength(body) >= RESUMABLE_BYTES,
      ...(generation !== undefined && {
        preconditionOpts: { ifGenerationMatch: generation },
      }),
    });
    return String(file.metadata.generation);
  }

  async function replace(
    name: string,
    body: string,
    generation: string,
  ): Promise<string | undefined> {
    const options = { contentType: JSON_TYPE, generation };
    return await retry(() => upload(fileOf(name), body, options).catch(ifStatus(412)));
  }

  async function findGeneration(name: string): Promise<string | undefined> {
    const metadata = await fileOf(name).getMetadata().catch(ifStatus(404));
    return metadata && String(metadata[0].generation);
  }

  async function readVersion(name: string) {
    const generation = await findGeneration(name);
    if (generation === undefined) return undefined;
    const pinned = bucket.file(prefix + name, { generation });
    const content = await pinned.download().catch(ifStatus(404));
    return content === undefined ? "replaced" : { body: content[0], generation };
  }

  async function listAll(folder: string): Promise<readonly string[]> {
    const names: string[] = [];
    let pageToken: string | undefined;
    do {
      const query = {
        prefix: prefix + folder,
        autoPaginate: false,
        ...(pageToken && { pageToken }),
      };
      const [files, next] = await retry(() => bucket.getFiles(query));
      for (const { name } of files) names.push(name.slice(prefix.length));
      pageToken = (next as { readonly pageToken?: string } | null)?.pageToken;
    } while (pageToken !== undefined);
    return names.sort();
  }

  return {
    place,
    create: async (name, body) => (await replace(name, body, "0")) !== undefined,
    replace,
    async write(name, body, contentType) {
      await retry(() => upload(fileOf(name), body, { contentType }));
    },
    async read(name) {
      const content = await retry(() => fileOf(name).download().catch(ifStatus(404)));
      return content?.[0];
    },
    async readVersion(name) {
      for (;;) {
        const found = await retry(() => readVersion(name));
        // Another process has replaced the object between the two requests.
        if (found !== "replaced") return found;
      }
    },
    findGeneration: (name) =>
      retryRequest(place, () => findGeneration(name), { ...retries, maxTries: 1 }),
    list: listAll,
    async delete(name) {
      await retry(() => fileOf(name).delete().catch(ifStatus(404)));
    },
  };
}

/** Returns an error handler that returns undefined for the expected status, and throws any other error. */
function ifStatus(expected: number): (error: unknown) => undefined {
  return (error) => {
    if (statusOf(error) !== expected) throw error;
    return undefined;
  };
}
