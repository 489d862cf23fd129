import { ByteReader } from '../byte-reader.ts';
import { varint } from '../byte-writer.ts';
import { transportParameterName, type Role } from './names.ts';
import { MAX_CONNECTION_ID, RESET_TOKEN_LENGTH } from './packet.ts';
import { violation, type Violation } from './violation.ts';

/** A transport parameter as sent (RFC 9000 18). */
export interface TransportParameter {
  readonly id: number | bigint;
  readonly value: Buffer;
}

/** Transport parameters that have a meaning here (RFC 9000 18.2, RFC 9368 3, RFC 9221 3, RFC 9287 3). */
export const ParameterId = {
  originalDestinationConnectionId: 0x00,
  maxIdleTimeout: 0x01,
  statelessResetToken: 0x02,
  maxUdpPayloadSize: 0x03,
  initialMaxData: 0x04,
  initialMaxStreamDataBidiLocal: 0x05,
  initialMaxStreamDataBidiRemote: 0x06,
  initialMaxStreamDataUni: 0x07,
  initialMaxStreamsBidi: 0x08,
  initialMaxStreamsUni: 0x09,
  ackDelayExponent: 0x0a,
  maxAckDelay: 0x0b,
  disableActiveMigration: 0x0c,
  preferredAddress: 0x0d,
  activeConnectionIdLimit: 0x0e,
  initialSourceConnectionId: 0x0f,
  retrySourceConnectionId: 0x10,
  versionInformation: 0x11,
  maxDatagramFrameSize: 0x20,
  greaseQuicBit: 0x2ab2,
} as const;

/** The value of an absent integer, and the allowed ones (RFC 9000 18.2; stream limits: 4.6). */
interface IntegerRule {
  readonly fallback: number;
  readonly min?: number;
  readonly max?: number;
}

const LIMIT: IntegerRule = { fallback: 0 };
const STREAMS: IntegerRule = { fallback: 0, max: 2 ** 60 };

const integers = {
  [ParameterId.maxIdleTimeout]: LIMIT,
  [ParameterId.maxUdpPayloadSize]: { fallback: 65_527, min: 1200 },
  [ParameterId.initialMaxData]: LIMIT,
  [ParameterId.initialMaxStreamDataBidiLocal]: LIMIT,
  [ParameterId.initialMaxStreamDataBidiRemote]: LIMIT,
  [ParameterId.initialMaxStreamDataUni]: LIMIT,
  [ParameterId.initialMaxStreamsBidi]: STREAMS,
  [ParameterId.initialMaxStreamsUni]: STREAMS,
  [ParameterId.ackDelayExponent]: { fallback: 3, max: 20 },
  [ParameterId.maxAckDelay]: { fallback: 25, max: 2 ** 14 - 1 },
  [ParameterId.activeConnectionIdLimit]: { fallback: 2, min: 2 },
  [ParameterId.maxDatagramFrameSize]: LIMIT,
} satisfies Readonly<Record<number, IntegerRule>>;

const integerRules: Readonly<Record<number, IntegerRule>> = integers;

/** Parameters that a client must not send (RFC 9000 18.2). */
const OF_SERVERS: ReadonlySet<number | bigint> = new Set([
  ParameterId.originalDestinationConnectionId,
  ParameterId.statelessResetToken,
  ParameterId.preferredAddress,
  ParameterId.retrySourceConnectionId,
]);

/** Bytes of preferred_address before the length of its connection ID: addresses and ports (RFC 9000 18.2). */
const ADDRESSES_LENGTH = 4 + 2 + 16 + 2;

/**
 * Reads transport parameters.
 *
 * @param bytes content of the extension quic_transport_parameters (RFC 9001 8.2)
 * @param sender the role of the peer
 * @returns all parameters in order, including unknown and repeated ones; and the first rule that they break whatever the
 *   connection
 */
export function readTransportParameters(
  bytes: Buffer,
  sender: Role,
): {
  readonly parameters: readonly TransportParameter[];
  readonly violation: Violation | undefined;
} {
  const reader = new ByteReader(bytes);
  const parameters: TransportParameter[] = [];
  while (!reader.atEnd) {
    const id = reader.exactVarint();
    const length = reader.varint();
    const start = reader.offset;
    reader.skip(length);
    if (reader.failed) {
      return {
        parameters,
        violation: parameterError('RFC 9000 18', 'a parameter that ends early'),
      };
    }
    parameters.push({ id, value: bytes.subarray(start, reader.offset) });
  }
  return { parameters, violation: violationOf(parameters, sender) };
}

function violationOf(
  parameters: readonly TransportParameter[],
  sender: Role,
): Violation | undefined {
  const seen = new Set<number | bigint>();
  for (const parameter of parameters) {
    const { id } = parameter;
    const name = transportParameterName(id);
    if (seen.has(id)) return parameterError('RFC 9000 7.4', `${name} twice`);
    seen.add(id);
    if (sender === 'client' && OF_SERVERS.has(id)) {
      return parameterError('RFC 9000 18.2', `${name} from a client`);
    }
    const wrong = valueViolation(parameter, name, sender);
    if (wrong) return wrong;
  }
  if (!seen.has(ParameterId.initialSourceConnectionId)) {
    return parameterError('RFC 9000 7.3', 'no initial_source_connection_id');
  }
  if (sender === 'server' && !seen.has(ParameterId.originalDestinationConnectionId)) {
    return parameterError('RFC 9000 7.3', 'no original_destination_connection_id');
  }
  return undefined;
}

function valueViolation(
  parameter: TransportParameter,
  name: string,
  sender: Role,
): Violation | undefined {
  const { id, value } = parameter;
  const { length } = value;
  const hasLength = (isRight: boolean, section = 'RFC 9000 18.2'): Violation | undefined =>
    isRight ? undefined : parameterError(section, `${name} of ${length} bytes`);
  switch (id) {
    case ParameterId.originalDestinationConnectionId:
    case ParameterId.initialSourceConnectionId:
    case ParameterId.retrySourceConnectionId:
      return hasLength(length <= MAX_CONNECTION_ID);
    case ParameterId.statelessResetToken:
      return hasLength(length === RESET_TOKEN_LENGTH);
    case ParameterId.disableActiveMigration:
      return hasLength(length === 0);
    case ParameterId.greaseQuicBit:
      return hasLength(length === 0, 'RFC 9287 3');
    case ParameterId.preferredAddress: {
      const idLength = value[ADDRESSES_LENGTH] ?? 0;
      const isAllowed = idLength >= 1 && idLength <= MAX_CONNECTION_ID;
      const fits = length === ADDRESSES_LENGTH + 1 + idLength + RESET_TOKEN_LENGTH;
      return hasLength(isAllowed && fits);
    }
    case ParameterId.versionInformation:
      return (
        hasLength(length >= 4 && length % 4 === 0, 'RFC 9368 4') ?? versionViolation(value, sender)
      );
    default:
      return integerViolation(parameter, name);
  }
}

function integerViolation(parameter: TransportParameter, name: string): Violation | undefined {
  const rule = integerRules[Number(parameter.id)];
  if (!rule) return undefined;
  const value = integerValue(parameter);
  if (value === undefined) return parameterError('RFC 9000 18.2', `${name} that is no integer`);
  const { min = 0, max = 2 ** 62 } = rule;
  if (value >= min && value <= max) return undefined;
  const section = rule === STREAMS ? 'RFC 9000 4.6' : 'RFC 9000 18.2';
  return parameterError(section, `${name} of ${value}`);
}

function versionViolation(value: Buffer, sender: Role): Violation | undefined {
  const { chosen, available } = versionInformation(value);
  if (chosen === 0 || available.includes(0)) return parameterError('RFC 9368 4', 'version 0');
  if (sender === 'server' || available.includes(chosen)) return undefined;
  return parameterError('RFC 9368 4', 'a chosen version that is not available');
}

const parameterError = (section: string, reason: string): Violation =>
  violation(section, reason, 'TRANSPORT_PARAMETER_ERROR');

/** The exact value of an integer parameter; undefined if it is malformed, or its id is not that of an integer. */
export function integerValue({ id, value }: TransportParameter): number | bigint | undefined {
  if (!integerRules[Number(id)]) return undefined;
  const reader = new ByteReader(value);
  const integer = reader.exactVarint();
  return reader.complete ? integer : undefined;
}

/** RFC 9368 3. */
export interface VersionInformation {
  readonly chosen: number;
  readonly available: readonly number[];
}

/** Decodes version_information. @param value whose length is valid */
export function versionInformation(value: Buffer): VersionInformation {
  const available: number[] = [];
  for (let at = 4; at < value.length; at += 4) available.push(value.readUInt32BE(at));
  return { chosen: value.readUInt32BE(0), available };
}

/** Valid transport parameters, with defaults for absent ones. Integers above 2^53 - 1 are read as 2^53 - 1. */
export class TransportParameters {
  readonly #values: ReadonlyMap<number | bigint, TransportParameter>;

  constructor(parameters: readonly TransportParameter[]) {
    this.#values = new Map(parameters.map((parameter) => [parameter.id, parameter]));
  }

  /** An integer. Times are in milliseconds. */
  integer(id: keyof typeof integers): number {
    const parameter = this.#values.get(id);
    const value = parameter && integerValue(parameter);
    return Math.min(Number(value ?? integers[id].fallback), Number.MAX_SAFE_INTEGER);
  }

  /** The bytes of a parameter; undefined if it is absent. */
  bytes(id: number): Buffer | undefined {
    return this.#values.get(id)?.value;
  }

  has(id: number): boolean {
    return this.#values.has(id);
  }

  get versionInformation(): VersionInformation | undefined {
    const value = this.bytes(ParameterId.versionInformation);
    return value && versionInformation(value);
  }

  /** The connection ID with sequence number 1, from preferred_address (RFC 9000 5.1.1). */
  get preferredConnectionId():
    | { readonly connectionId: Buffer; readonly resetToken: Buffer }
    | undefined {
    const value = this.bytes(ParameterId.preferredAddress);
    if (!value) return undefined;
    const end = value.length - RESET_TOKEN_LENGTH;
    return {
      connectionId: value.subarray(ADDRESSES_LENGTH + 1, end),
      resetToken: value.subarray(end),
    };
  }
}

/** A parameter to write. @param value an integer or bytes, which are empty for a flag */
export function transportParameter(
  id: number,
  value: number | bigint | Buffer,
): TransportParameter {
  return { id, value: Buffer.isBuffer(value) ? value : varint(value) };
}

/** The content of the extension quic_transport_parameters. The order is that of the list. */
export function writeTransportParameters(parameters: readonly TransportParameter[]): Buffer {
  return Buffer.concat(
    parameters.flatMap(({ id, value }) => [varint(id), varint(value.length), value]),
  );
}
