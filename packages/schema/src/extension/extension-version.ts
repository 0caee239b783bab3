/** Semantic version inside an extension's URI. */
export interface ExtensionVersion {
  readonly major: number;
  readonly minor?: number;
  readonly patch?: number;
  readonly preRelease?: string;
}

// Matches a whole segment of the URI such as v0, v0.1, v1.2.3 or v1.0.0-rc.1. The text after a + is
// build metadata, which comparisons ignore. (SemVer 2.0.0 §10)
const VERSION_SEGMENT =
  /(?<=^|[/:#?=])v(0|[1-9]\d*)(?:\.(0|[1-9]\d*)(?:\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?)?)?(?=$|[/:#?&])/;

/** Finds the version in a URI. Returns undefined if the URI has no version. (RFC 3.1, Versioning) */
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
 * Returns true if an agent's version is compatible with the version that a client asks for, by Semantic
 * Versioning 2.0.0. A pre-release is only compatible with itself. The major numbers must be equal. Below
 * 1.0.0, the minor numbers must be equal too, unless the client leaves out its minor number.
 */
export function isCompatibleVersion(offered: ExtensionVersion, asked: ExtensionVersion): boolean {
  if (offered.major !== asked.major) return false;
  if (offered.preRelease !== asked.preRelease) return false;
  if (offered.preRelease !== undefined && offered.patch !== asked.patch) return false;
  if (offered.major > 0 && offered.preRelease === undefined) return true;
  return asked.minor === undefined || offered.minor === asked.minor;
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

/** Returns true if an agent that offers one URI is compatible with a client that asks for another. */
export function isCompatibleUri(offered: string, asked: string): boolean {
  if (offered === asked) return true;
  const offeredVersion = findExtensionVersion(offered);
  const askedVersion = findExtensionVersion(asked);
  if (offeredVersion === undefined || askedVersion === undefined) return false;
  return isSameExtension(offered, asked) && isCompatibleVersion(offeredVersion, askedVersion);
}
