import { echoesOnly } from '../_echo.ts';

echoesOnly('PATCH', '/patch');
