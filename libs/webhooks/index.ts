export { isPublicAddress } from "./addresses.js";
export { EVENT_TYPES, eventBody, OPERATOR, PING, type EventHead, type EventType } from "./events.js";
export { send, type Message, type Sent, type SendOptions } from "./send.js";
export { newWebhookSecret, SIGNATURE_HEADER, signatureHeader } from "./sign.js";
export { MOST_URL_LENGTH, targetProblem, urlProblem, type TargetRules } from "./target.js";
