/** The version of dt-server. */
export const version = "0.1.0";
