/** The version of dt. */
export const version = "0.1.0";
