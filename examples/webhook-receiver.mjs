import express from 'express';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.SRR_WEBHOOK_SECRET);
const app = express();
app.post('/hook', express.raw({ type: 'application/json', limit: '1mb' }), (request, response) => {
  console.log('verified', webhook.verify(request.body, request.headers));
  response.sendStatus(204);
});
app.use((error, _request, response, _next) => response.status(401).send(error.message));
app.listen(process.env.PORT ?? 3000);
