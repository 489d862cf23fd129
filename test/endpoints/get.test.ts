import { echoesOnly } from '../_echo.ts';

echoesOnly('GET', '/get');
