@rem For npm start and npm run dev on Windows: their command begins with exec, so that a shell of Unix becomes Node and
@rem signals reach it. cmd has no exec, and finds this file.
@%*
