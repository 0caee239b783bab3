/**
 * Decides what runs without a question: "default" asks before anything that changes the workspace or
 * reaches outside it, "auto-edit" edits without asking, "yolo" never asks, "plan" only reads.
 */
export type PermissionMode = "default" | "auto-edit" | "yolo" | "plan";
