import { DEFAULT_MAX_FRAME_SIZE, DEFAULT_WINDOW, SettingId } from './frame.ts';
import type { Setting } from './frame-payload.ts';
import { DEFAULT_TABLE_SIZE } from './index-table.ts';

/**
 * The settings of one side of a connection (RFC 9113 6.5.2; RFC 8441 3; RFC 9218 2.1), with their initial
 * values.
 */
export class ConnectionSettings {
  headerTableSize = DEFAULT_TABLE_SIZE;
  maxConcurrentStreams = Infinity;
  initialWindowSize = DEFAULT_WINDOW;
  maxFrameSize = DEFAULT_MAX_FRAME_SIZE;
  maxHeaderListSize = Infinity;
  enableConnectProtocol = false;
  noRfc7540Priorities = false;

  /** Applies a valid value. Unknown settings are ignored. */
  apply({ id, value }: Setting): void {
    switch (id) {
      case SettingId.headerTableSize:
        this.headerTableSize = value;
        break;
      case SettingId.maxConcurrentStreams:
        this.maxConcurrentStreams = value;
        break;
      case SettingId.initialWindowSize:
        this.initialWindowSize = value;
        break;
      case SettingId.maxFrameSize:
        this.maxFrameSize = value;
        break;
      case SettingId.maxHeaderListSize:
        this.maxHeaderListSize = value;
        break;
      case SettingId.enableConnectProtocol:
        this.enableConnectProtocol = value === 1;
        break;
      case SettingId.noRfc7540Priorities:
        this.noRfc7540Priorities = value === 1;
        break;
      default:
    }
  }
}
