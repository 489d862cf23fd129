import { getBuiltinModule } from 'node:process';

/**
 * The part of node:http that wirebin uses. An import would read all of its exports. One of them, WebSocket, makes Node
 * 22 and later load their HTTP client, which costs 13 ms and 4 MB at startup.
 */
export const { createServer } = getBuiltinModule('node:http');
