"""The layouts of the sample documents, one module for each company that sends them. All companies are invented."""
