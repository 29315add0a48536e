"""What a row of each table is, declared once and checked at both doors."""
