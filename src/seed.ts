export { generatePets } from './scenario/generate-pets.js';
