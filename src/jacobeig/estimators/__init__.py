"""Estimators for scikit-learn: `pca` for tables, `graph` for graphs."""
