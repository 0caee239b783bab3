/** Semantic version inside an extension's URI. A part that the URI leaves out is a wildcard. */
export interface ExtensionVersion {
  readonly major: number;
  readonly minor?: number;
  readonly patch?: number;
  readonly preRelease?: string;
}

// Matches a whole segment of the URI such as v0, v0.1, v1.2.3 or v1.0.0-rc.1. The part after a + is
// a build, which SemVer 2.0.0 §10 leaves out of every comparison.
const VERSION_SEGMENT =
  /(?<=^|[/:#?=])v(0|[1-9]\d*)(?:\.(0|[1-9]\d*)(?:\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?)?)?(?=$|[/:#?&])/;

/** Finds the version in a URI; undefined if there is none. (RFC 3.1, Versioning) */
export function findExtensionVersion(uri: string): ExtensionVersion | undefined {
  const match = VERSION_SEGMENT.exec(uri);
  if (match === null) return undefined;
  const [, major, minor, patch, preRelease] = match;
  return {
    major: Number(major),
    ...(minor !== undefined && { minor: Number(minor) }),
    ...(patch !== undefined && { patch: Number(patch) }),
    ...(preRelease !== undefined && { preRelease }),
  };
}

/**
 * Returns true if two versions are compatible by Semantic Versioning 2.0.0: they have the same
 * major, below 1.0.0 also the same minor, and a pre-release is only compatible with itself.
 */
export function isCompatibleVersion(left: ExtensionVersion, right: ExtensionVersion): boolean {
  if (left.major !== right.major) return false;
  if (left.preRelease !== right.preRelease) return false;
  if (left.preRelease !== undefined && left.patch !== right.patch) return false;
  if (left.major > 0 && left.preRelease === undefined) return true;
  return left.minor === undefined || right.minor === undefined || left.minor === right.minor;
}

/** Formats a version for a URI: v0, v0.1, v0.1.2. */
export function formatExtensionVersion({
  major,
  minor,
  patch,
  preRelease,
}: ExtensionVersion): string {
  const numbers = [major, minor, patch].filter((part) => part !== undefined);
  return `v${numbers.join(".")}${preRelease === undefined ? "" : `-${preRelease}`}`;
}

/** Returns true if two URIs name the same extension, in any version. */
export function isSameExtension(left: string, right: string): boolean {
  return left.replace(VERSION_SEGMENT, "v") === right.replace(VERSION_SEGMENT, "v");
}

/** Returns true if a peer that speaks `theirs` is compatible with one that speaks `ours`. */
export function isCompatibleUri(ours: string, theirs: string): boolean {
  if (ours === theirs) return true;
  const ourVersion = findExtensionVersion(ours);
  const theirVersion = findExtensionVersion(theirs);
  if (ourVersion === undefined || theirVersion === undefined) return false;
  return isSameExtension(ours, theirs) && isCompatibleVersion(ourVersion, theirVersion);
}
