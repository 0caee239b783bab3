const SIGNATURES: readonly { mediaType: string; offset: number; bytes: string }[] = [
  { mediaType: "image/png", offset: 0, bytes: "\x89PNG\r\n\x1a\n" },
  { mediaType: "image/jpeg", offset: 0, bytes: "\xff\xd8\xff" },
  { mediaType: "image/gif", offset: 0, bytes: "GIF8" },
  { mediaType: "image/webp", offset: 8, bytes: "WEBP" },
];

/** Detects the media type of an image by its first bytes. Returns undefined for other files. */
export function findImageType(bytes: Buffer): string | undefined {
  const found = SIGNATURES.find(
    (each) => bytes.toString("latin1", each.offset, each.offset + each.bytes.length) === each.bytes,
  );
  return found?.mediaType;
}
