import { echoesOnly } from '../_echo.ts';

echoesOnly('POST', '/post');
