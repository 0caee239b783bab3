/**
 * Decides what runs without a question: "default" asks before anything that changes or leaves the
 * workspace, "auto-edit" edits freely, "yolo" never asks, "plan" only reads.
 */
export type PermissionMode = "default" | "auto-edit" | "yolo" | "plan";
