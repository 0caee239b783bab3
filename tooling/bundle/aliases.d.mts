export const BUNDLE_ALIASES: Readonly<Record<string, string>>;
