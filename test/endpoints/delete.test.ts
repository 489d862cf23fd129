import { echoesOnly } from '../_echo.ts';

echoesOnly('DELETE', '/delete');
