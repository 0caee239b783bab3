/** An object of a bucket. Its generation changes with each write. */
export interface StoredObject {
  readonly body: Buffer;
  readonly generation: string;
}

/** The objects below the prefix of a bucket. A method rejects with {@link BucketFault} if it did not succeed. */
export interface ObjectBucket {
  /** Bucket and prefix, for messages. */
  readonly place: string;
  /** Creates an object. Returns false and changes nothing if it exists. */
  create(name: string, body: string): Promise<boolean>;
  /**
   * Replaces an object if it has this generation; the generation `0` creates the object. Returns the new generation;
   * undefined if the object has another generation.
   */
  replace(name: string, body: string, generation: string): Promise<string | undefined>;
  /** Writes an object, whether it exists or not. */
  write(name: string, body: string | Buffer, contentType: string): Promise<void>;
  /** Reads an object; undefined if it does not exist. */
  read(name: string): Promise<Buffer | undefined>;
  /** Reads an object with its generation; undefined if it does not exist. */
  readVersion(name: string): Promise<StoredObject | undefined>;
  /** Finds the generation of an object; undefined if it does not exist. Does not retry. */
  findGeneration(name: string): Promise<string | undefined>;
  /** Lists the names below a folder, sorted. */
  list(folder: string): Promise<readonly string[]>;
  /** Deletes an object, if it exists. */
  delete(name: string): Promise<void>;
}

/** The error of a request to a bucket. */
export class BucketFault extends Error {
  /** HTTP status of the last answer; undefined if there was none. */
  readonly status: number | undefined;
  /** True if the request may have succeeded, although no answer said so. */
  readonly isUncertain: boolean;

  constructor(
    message: string,
    options: ErrorOptions & { readonly status?: number | undefined; readonly isUncertain: boolean },
  ) {
    super(message, options);
    this.status = options.status;
    this.isUncertain = options.isUncertain;
  }
}

/**
 * The error if an object that the index names no longer exists, because the owner of the bucket saved a newer index.
 */
export class ObjectGone extends Error {
  constructor(place: string, name: string) {
    super(`the bucket ${place} has no object ${name}`);
  }
}
