import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  // All current browsers; older ones would need more bytes.
  build: { target: 'es2022', assetsInlineLimit: 0 },
  server: { port: 4300 },
});
