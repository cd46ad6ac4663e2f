/** Largest message in either direction, in bytes of its protobuf encoding (over gRPC; in process nothing is encoded). */
export const messageBytesMaxDefault = 16 * 1024 * 1024;

/** How long a unary call may take when its caller names no timeout, in milliseconds. Streams have no default. */
export const unaryTimeoutMsDefault = 30_000;

/** Longest delay a Node timer can keep, in milliseconds; a deadline further away is kept to this. */
export const timerMsMax = 2 ** 31 - 1;

/** Largest description of an error on the wire (kind, text, details as JSON), in bytes. */
export const errorBytesMax = 8 * 1024;

/** Longest error text, in bytes of its JSON form. What is longer is cut and ends in an ellipsis. */
export const errorTextBytesMax = 4 * 1024;

/** Longest plain gRPC status text, in characters: for tools that do not read our error description. */
export const statusTextCharsMax = 512;

/** Longest bearer token that a call carries, in bytes: the bound of one HTTP header in Node. */
export const bearerBytesMax = 16 * 1024;

/** Shortest internal token that is accepted, in characters. */
export const internalTokenCharsMin = 16;

/** Calls that one connection, and one exchange, may have open at a time. */
export const concurrentCallsMax = 10_000;

/** Addresses that one channel connects to; a list with more is refused, of a name with more the rest is not used. */
export const addressesMax = 256;

/** How often a client pings each of its connections, also idle ones, in milliseconds. */
export const keepaliveMs = 2_000;

/**
 * A ping that a server does not answer for this long ends the connection, in milliseconds. A frozen server stops taking
 * calls after `keepaliveMs` + `keepaliveTimeoutMs` at the latest; one that is only busy for less than this keeps its.
 */
export const keepaliveTimeoutMs = 3_000;

/** How often a server pings its clients, in milliseconds: one that vanished is not worth more. */
export const clientKeepaliveMs = 30_000;

/** A ping that a client does not answer for this long ends the connection, in milliseconds. */
export const clientKeepaliveTimeoutMs = 10_000;

/** First and longest pause between attempts to connect again, in milliseconds. */
export const reconnectMsMin = 100;
export const reconnectMsMax = 1_000;

/**
 * How long a call waits for a first connection or a new one while none is there, in milliseconds. Long enough for a name
 * to be looked up and a connection to be made again; short enough that a caller hears soon that nobody answers.
 */
export const connectWaitMs = 1_000;

/** How often the names in a channel's addresses are looked up again, in milliseconds: new replicas are found then. */
export const lookupMsDefault = 5_000;

/** How soon a name that has no address is looked up again, in milliseconds. */
export const lookupAgainMs = 1_000;

/** How long a stopping server waits for its last error answers to leave, in milliseconds. */
export const farewellMs = 500;

/** Largest request that travels on an exchange, and largest part of an answer there, in bytes; larger requests are gRPC calls. */
export const exchangePartBytesMax = 64 * 1024;

/** A message of an exchange takes no further frame once those it has hold this many bytes. */
export const exchangeBatchBytes = 64 * 1024;

/** What a frame is reckoned to take besides request, answer and bearer token, in bytes: more than it does. */
export const exchangeFrameBytes = 512;

/** Largest message of an exchange, in bytes: a full batch, one more frame, and what else they say. */
export const exchangeMessageBytesMax = 256 * 1024;

/** A server reads no more of an exchange while answers of this many bytes wait for its client to read them. */
export const exchangeUnreadBytesMax = 8 * 1024 * 1024;

/** How often a call that no replica has taken is handed to another. */
export const callMovesMax = 16;
