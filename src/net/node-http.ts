import { getBuiltinModule } from 'node:process';

/**
 * What wirebin uses of node:http. An import of it would read all of its exports, among them WebSocket, by which Node 22
 * and later load their client of HTTP: 13 ms and 4 MB at the start.
 */
export const { createServer, METHODS, STATUS_CODES } = getBuiltinModule('node:http');
