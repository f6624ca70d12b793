import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { call } from './call.js';

await call(({ origin, key, options }) => {
  const credentials = { accessKeyId: key, secretAccessKey: 'secret' };
  const client = new DynamoDBClient({ endpoint: origin, region: 'us-east-1', credentials, ...options });
  const item = { id: { S: '1' } };
  return {
    read: () => client.send(new GetItemCommand({ TableName: 'pets', Key: item })),
    write: () => client.send(new PutItemCommand({ TableName: 'pets', Item: item })),
  };
});
