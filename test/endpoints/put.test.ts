import { echoesOnly } from '../_echo.ts';

echoesOnly('PUT', '/put');
