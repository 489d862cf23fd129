/** Where a protocol says what both HTTP/2 and HTTP/3 say of messages. */
interface MessageSections {
  readonly message: string;
  readonly contentLength: string;
  readonly upperCase: string;
  /** Names and values with characters that are not allowed. */
  readonly characters: string;
  readonly connectionSpecific: string;
  readonly pseudo: string;
  readonly request: string;
  readonly response: string;
  readonly connect: string;
  readonly extendedConnect: string;
  readonly limits: string;
}

/** HTTP/2 or HTTP/3, as far as their rules for messages are the same. */
export interface MessageProtocol {
  readonly sections: MessageSections;
  /** The error code of a malformed message. */
  readonly malformed: string;
  /** The error code of a section that is too large. */
  readonly excessive: string;
  /** The setting that limits field sections. */
  readonly sizeSetting: string;
}

export const HTTP2: MessageProtocol = {
  sections: {
    message: 'RFC 9113 8.1',
    contentLength: 'RFC 9113 8.1.1',
    upperCase: 'RFC 9113 8.2.1',
    characters: 'RFC 9113 8.2.1',
    connectionSpecific: 'RFC 9113 8.2.2',
    pseudo: 'RFC 9113 8.3',
    request: 'RFC 9113 8.3.1',
    response: 'RFC 9113 8.3.2',
    connect: 'RFC 9113 8.5',
    extendedConnect: 'RFC 8441 4',
    limits: 'RFC 9113 10.5.1',
  },
  malformed: 'PROTOCOL_ERROR',
  excessive: 'ENHANCE_YOUR_CALM',
  sizeSetting: 'SETTINGS_MAX_HEADER_LIST_SIZE',
};

export const HTTP3: MessageProtocol = {
  sections: {
    message: 'RFC 9114 4.1',
    contentLength: 'RFC 9114 4.1.2',
    upperCase: 'RFC 9114 4.2',
    characters: 'RFC 9114 10.3',
    connectionSpecific: 'RFC 9114 4.2',
    pseudo: 'RFC 9114 4.3',
    request: 'RFC 9114 4.3.1',
    response: 'RFC 9114 4.3.2',
    connect: 'RFC 9114 4.4',
    extendedConnect: 'RFC 9220 3',
    limits: 'RFC 9114 4.2.2',
  },
  malformed: 'H3_MESSAGE_ERROR',
  excessive: 'H3_EXCESSIVE_LOAD',
  sizeSetting: 'SETTINGS_MAX_FIELD_SECTION_SIZE',
};

/** How messages are judged: by nghttp2 on HTTP/2, by RFC 9114 on HTTP/3. */
export interface MessageRules {
  readonly protocol: MessageProtocol;
  /** nghttp2 before 1.64: `:authority` and `host` may contain user information. */
  readonly allowsUserinfo: boolean;
  /**
   * nghttp2 before 1.70: values are checked first, so that a field with an invalid value is dropped even if its name would
   * refuse the message; and upper case in a name counts even after another invalid character.
   */
  readonly checksValuesFirst: boolean;
  /** nghttp2: a field line with invalid characters is dropped. Otherwise the message is refused (RFC 9114 10.3). */
  readonly dropsInvalid: boolean;
  /** Whether `:authority` and `host` must have the same value (RFC 9114 4.3.1). */
  readonly comparesHost: boolean;
}

/** Rules of a version of nghttp2. @param version as in `process.versions.nghttp2` */
export function nghttp2Rules(version: string): MessageRules {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isBefore = (release: number): boolean => major === 1 && minor < release;
  return {
    protocol: HTTP2,
    allowsUserinfo: isBefore(64),
    checksValuesFirst: isBefore(70),
    dropsInvalid: true,
    comparesHost: false,
  };
}

/** Rules of HTTP/3 (RFC 9114 4.1.2 to 4.4, 10.3). */
export const HTTP3_RULES: MessageRules = {
  protocol: HTTP3,
  allowsUserinfo: false,
  checksValuesFirst: false,
  dropsInvalid: false,
  comparesHost: true,
};
