// Ranks the documents by the words that they share with the question; rare words count more.
import { readdirSync, readFileSync } from 'node:fs';

const words = (text) => new Set(text.toLowerCase().match(/\p{Letter}{3,}/gu) ?? []);
const documents = readdirSync('handbook')
  .sort()
  .map((name) => ({ name, text: readFileSync(`handbook/${name}`, 'utf8').trim() }));
const question = words(readFileSync(0, 'utf8'));
const weight = (word) => 1 / documents.filter(({ text }) => words(text).has(word)).length;
const ranked = documents
  .map((document) => ({
    ...document,
    score: [...question]
      .filter((word) => words(document.text).has(word))
      .reduce((sum, word) => sum + weight(word), 0),
  }))
  .filter(({ score }) => score > 0)
  .sort((one, other) => other.score - one.score);
console.log(JSON.stringify(ranked.slice(0, 2).map(({ name, text }) => ({ name, text }))));
